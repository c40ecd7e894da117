// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "tutti/ir/array.hpp"

namespace tutti {

/// f32 elements that differ, in [-scale, scale].
inline Array waves(Shape shape, double scale, double phase) {
  Tensor tensor(std::move(shape), DType::f32);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_data<float>()[i] =
        static_cast<float>(scale * std::sin(phase + 0.7 * static_cast<double>(i)));
  return tensor;
}

}  // namespace tutti
