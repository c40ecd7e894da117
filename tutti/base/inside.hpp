// SPDX-License-Identifier: Apache-2.0
// For our own sources, and for headers that are not installed: opens ops and internal in namespace tutti.
// Headers that are installed do not include this file, so that users see in tutti only what they write.
#pragma once

#include "tutti/base/namespaces.hpp"

namespace tutti {
using namespace ops;
using namespace internal;
}  // namespace tutti
