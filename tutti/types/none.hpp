// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// The type of `none`.
struct None {};
/// In a spec: a dimension that is not split. In a range: as far as the dimension goes.
inline constexpr None none;

}  // namespace tutti
