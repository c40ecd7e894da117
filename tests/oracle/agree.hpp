// SPDX-License-Identifier: Apache-2.0
// Our values and gradients beside JAX's.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

// Different in every element, in [-1, 1], the same in every run.
inline Tensors arguments_of(const std::vector<Shape>& shapes) {
  Tensors arguments;
  double phase = 0.3;
  for (const Shape& shape : shapes) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(std::sin(phase += 0.7));
    arguments.emplace_back(shape, values);
  }
  return arguments;
}

// f64 on both sides. Each element is the end of fewer than 200 roundings of numbers below 100 in magnitude:
// 200 * 100 * 2^-53 < 3e-12.
inline constexpr double bound = 3e-12;

inline ::testing::AssertionResult agree(const Tensors& ours, const std::vector<Tensors>& theirs) {
  if (ours.size() != theirs.size()) return ::testing::AssertionFailure() << "results differ in number";
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (!(ours[k].shape() == theirs[k][0].shape()))
      return ::testing::AssertionFailure() << "shape of result " << k;
    for (std::int64_t i = 0; i < ours[k].elements(); ++i)
      if (!(std::abs(ours[k].at(i) - theirs[k][0].at(i)) <= bound))
        return ::testing::AssertionFailure() << "result " << k << " element " << i << ": " << ours[k].at(i)
                                             << ", JAX " << theirs[k][0].at(i);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tutti
