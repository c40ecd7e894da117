// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "tutti/tensor/print.hpp"

namespace tutti {

/// How GoogleTest shows a tensor: "i32[2] [ 1 10]".
inline void PrintTo(const Tensor& tensor, std::ostream* out) {
  *out << name(tensor.dtype()) << "[" << to_string(tensor.shape()) << "] " << to_string(tensor);
}

}  // namespace tutti
