// SPDX-License-Identifier: Apache-2.0
// Gradients against central differences, on the example mesh.
#pragma once

#include <functional>

#include "tests/support/recorded.hpp"
#include "tests/support/slopes.hpp"

namespace tutti {

/// Where a gradient was looked at, and what it is there.
struct GradientAt {
  std::vector<PerDevice> x, gradient;
};
/// <gradient, v> is how fast the loss grows along v, for random x and v.
GradientAt expect_slope(const Types& types, const std::function<Array(const Arrays&)>& loss,
                        const Program& gradient);
/// The gradient of the loss meets the slope, and our runtime computes the gradient's numbers.
void expect_gradient_runs(const Types& types, const std::function<Array(const Arrays&)>& loss);

}  // namespace tutti
