// SPDX-License-Identifier: Apache-2.0
// The training step of the digits example, on the machine of a plugin and on the local machine.
#include <cmath>

#include "examples/digits_model.hpp"
#include "tests/support/waves.hpp"
#include "tests/xla/same_numbers.hpp"

namespace {

using namespace digits;
using xla_training = xla::RealXla;

const Mesh& mesh() {
  static const Mesh grid({{"data", 4}, {"model", 2}});
  return grid;
}

Params some_params(double scale, double phase) {
  return {waves({64, 128}, scale, phase), waves({128}, scale, phase + 1), waves({128, 10}, scale, phase + 2),
          waves({10}, scale, phase + 3)};
}

Batch some_batch(int step) {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 256; ++i) labels.push_back((i * 7 + step * 3) % 10);
  return {waves({256, 64}, 1, 9.1 + step), Tensor(Shape{256}, labels)};
}

/// The losses of some steps; parameters are updated in place.
std::vector<double> losses(const Machine& machine, int steps) {
  Params params = some_params(0.2, 0.1), momentum = some_params(0, 0);
  const auto step = machine.compile(sharded_step(mesh()), params, momentum, some_batch(0));
  std::vector<double> found;
  for (int i = 0; i < steps; ++i) {
    Array loss;
    std::tie(loss, params, momentum) = step(std::move(params), std::move(momentum), some_batch(i % 4));
    found.push_back(loss.item());
  }
  return found;
}

// Bound on the difference of one step from equal parameters; derived in tests/oracle/digits_test.cpp. Steps
// contract differences, so n steps differ by at most n times as much.
constexpr double bound_of_step = 2 * 2 * 14 * 0x1p-23 * 8;

TEST_F(xla_training, has_the_losses_of_the_local_machine) {
  const std::vector<double> ours = losses(open_local(mesh(), {.workers = 2}), 20),
                            theirs = losses(machine(mesh()), 20);
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i], theirs[i], bound_of_step * static_cast<double>(i + 1)) << "step " << i;
  EXPECT_LT(theirs.back(), theirs.front());
}

// XLA on CPUs hangs if launches pile up. `make soak PARTS=xla` takes 10,000 steps.
TEST_F(xla_training, takes_300_steps) { EXPECT_TRUE(std::isfinite(losses(machine(mesh()), 300).back())); }

}  // namespace
