// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tutti {

GradientAt expect_slope(const Types& types, const std::function<Array(const Arrays&)>& loss,
                        const Program& gradient) {
  Random random(11);
  Program program = recorded(types, [&](const Arrays& x) { return Arrays{loss(x)}; });
  std::vector<PerDevice> x = random_values(random, types, Numbers::smooth);
  std::vector<PerDevice> v = random_values(random, types, Numbers::smooth);
  std::vector<PerDevice> found = evaluate(gradient, example_mesh(), x);
  double along = 0;
  for (std::size_t i = 0; i < types.size(); ++i) along += pairing(types[i], v[i], found[i]);
  auto [slope, error] = slopes(program, x, v, Bits(types.size(), true), 0)[0][0];
  EXPECT_NEAR(along, slope, error) << to_string(gradient);
  EXPECT_GT(std::abs(slope), 8 * error) << "the difference is too coarse to tell";
  return {x, found};
}

}  // namespace tutti
