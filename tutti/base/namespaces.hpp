// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For users.
namespace tutti {

/// For authors of ops: the ops, and what their rules are written with.
namespace ops {}

/// For our own headers and sources. It changes without notice.
namespace internal {
using namespace ops;
}

}  // namespace tutti
