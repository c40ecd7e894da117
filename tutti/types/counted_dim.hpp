// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tutti/types/shape.hpp"

namespace tutti {

/// A dim as users write it: a negative one counts from the end.
/// Throws T006 unless it is one of the `rank` dims of `whose`: "f32[4,2]".
Dim counted_dim(int index, int rank, const std::function<std::string()>& whose);
Dim counted_dim(int index, int rank, std::string_view whose);

}  // namespace tutti
