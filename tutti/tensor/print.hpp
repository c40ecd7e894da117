// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// Options of to_string of tensors and arrays.
struct PrintOptions {
  std::int64_t all_elements = 1000;  // larger arrays are summarised
  std::int64_t edge_elements = 3;    // shown at each end of a summarised dimension
  int digits = 6;                    // significant, of floats
  int line_length = 80;              // characters; longer rows are broken
};

/// The elements in nested brackets, their decimal points aligned: "[[1. 2.5]\n [3. 0. ]]". A scalar has no
/// brackets.
/// A complex number reads "1.+2.5j".
std::string to_string(const Tensor& tensor, const PrintOptions& options = {});

}  // namespace tutti
