// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// How GoogleTest shows a tensor: "i32[2]{1, 10}"; the first 32 elements.
void PrintTo(const Tensor& tensor, std::ostream* out);

}  // namespace tutti
