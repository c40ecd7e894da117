// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tutti/run/on_machine.hpp"

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

void expect_gradient_runs(const Types& types, const std::function<Array(const Arrays&)>& loss) {
  Program gradient = gradient_of(types, loss);
  auto [x, found] = expect_slope(types, loss, gradient);
  std::vector<Tensors> ran = run_on_machine(gradient, example_mesh(), x);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t device = 0; device < found[i].size(); ++device)
      for (std::int64_t e = 0; e < found[i][device].elements(); ++e)
        ASSERT_NEAR(ran[i][device].at(e), found[i][device].at(e),
                    1e-9 * (1 + std::abs(found[i][device].at(e))));
}

}  // namespace tutti
