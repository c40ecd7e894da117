// SPDX-License-Identifier: Apache-2.0
// The gp example on 8 devices: steps of descent and a prediction compared with the same in JAX.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/gp_model.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace gp;

constexpr int steps = 5;
constexpr std::int64_t points = 96, places = 11;
const Mesh mesh({{"data", 8}});

/// Places and values that differ on every device.
Tensor filled(std::int64_t n, double (*at)(double)) {
  Tensor made({n}, DType::f64);
  for (std::int64_t i = 0; i < n; ++i) made.mutable_data<double>()[i] = at(static_cast<double>(i));
  return made;
}

struct Fitted {
  std::vector<double> losses;
  Tensors results;  // height, length and noise; mean; variance
};

Fitted fitted(const Array& x, const Array& y, const Array& at) {
  const Machine machine = open_local(mesh);
  const auto scalar = [](double value) { return Array(Tensor::scalar(value)); };
  Search search{{scalar(0.1), scalar(0.2), scalar(-1)}, {scalar(0), scalar(0), scalar(0)}};
  const auto step = machine.compile(sharded_step(mesh), search, x, y);
  Fitted run;
  for (int i = 0; i < steps; ++i) {
    Array loss;
    std::tie(loss, search) = step(search, x, y);
    run.losses.push_back(loss.item());
  }
  const auto predict_all = machine.compile(sharded_predict(mesh), search.kernel, x, y, at);
  const Prediction found = predict_all(search.kernel, x, y, at);
  const Hyperparameters& kernel = search.kernel;
  const std::vector<double> numbers{kernel.height.item(), kernel.length.item(), kernel.noise.item()};
  run.results = {Tensor({3}, numbers), found.mean.tensor(), found.variance.tensor()};
  return run;
}

using gp_descent = OracleTest;

// With a noise of exp(-1) or more, a covariance of 12 points has a condition below 12 e^0.2 / e^-2 < 110. A
// factor loses as many roundings as it has rows, times this; five steps add them up.
const double bound = 5 * 12 * 110 * std::ldexp(1.0, -52);

TEST_F(gp_descent, has_the_losses_and_the_prediction_of_jax) {
  const Tensor x = filled(points, [](double i) { return std::fmod(i * 7.3, 10.0); });
  const Tensor y =
      filled(points, [](double i) { return std::sin(std::fmod(i * 7.3, 10.0)) + 0.1 * std::cos(5 * i); });
  const Tensor at = filled(places, [](double i) { return i; });
  const Verdict jax = Oracle::shared().run_jax("gp_descent", {Tensor({3}, std::vector<double>{0.1, 0.2, -1}),
                                                              x, y, at, Tensor::scalar(std::int32_t{steps})});
  ASSERT_EQ(jax.failure, "");
  const Fitted ours = fitted(x, y, at);
  for (int i = 0; i < steps; ++i)
    EXPECT_NEAR(ours.losses[static_cast<std::size_t>(i)], jax.results[0][0].at(i), bound);
  for (std::size_t k = 0; k < ours.results.size(); ++k)
    for (std::int64_t i = 0; i < ours.results[k].elements(); ++i)
      EXPECT_NEAR(ours.results[k].at(i), jax.results[k + 1][0].at(i), bound) << k << " " << i;
}

}  // namespace
