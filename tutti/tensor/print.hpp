// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

struct PrintOptions {
  std::int64_t all_elements = 1000;  // larger arrays are summarised
  std::int64_t edge_elements = 3;    // shown at each end of a summarised dimension
  int digits = 6;                    // significant, of floats
  int line_length = 80;              // characters; longer rows are broken
};

/// The elements as nested brackets, aligned by their decimal points: "[[1.  2.5]\n [3.  0. ]]"; a scalar
/// without brackets; a complex number as "1.+2.5j".
std::string to_string(const Tensor& tensor, const PrintOptions& options = {});

}  // namespace tutti
