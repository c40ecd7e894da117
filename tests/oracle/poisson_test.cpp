// SPDX-License-Identifier: Apache-2.0
// The Poisson example on 8 devices: potential and steps of descent compared with the same in JAX, which has
// the whole cube on one device.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/poisson_model.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace {

using namespace poisson;

const Mesh mesh({{"y", 2}, {"x", 4}});
constexpr std::int64_t size = 16, points = size * size * size;
constexpr int steps = 4;

// Different at every point, without symmetry; at most half.
Tensor bumps(double phase) {
  Tensor field({size, size, size}, DType::f32);
  for (std::int64_t i = 0; i < points; ++i)
    field.mutable_data<float>()[i] =
        static_cast<float>(0.5 * std::sin(phase + 0.013 * static_cast<double>(i * (i % 19))));
  return field;
}

struct Descent {
  Tensor potential, source;
  std::vector<double> misfits;
};

Descent descend() {
  const Waves waves = waves_of(size, mesh);
  const Array given = bumps(2);
  Search search{bumps(0), Array(Tensor({size, size, size}, DType::f32))};
  const Machine machine = open_local(mesh);
  Descent run;
  run.potential =
      machine.compile(sharded_potential(mesh), waves, search.source)(waves, search.source).tensor();
  const auto take_step = machine.compile(sharded_step(mesh), waves, search, given);
  for (int i = 0; i < steps; ++i) {
    Array misfit;
    std::tie(misfit, search) = take_step(waves, search, given);
    run.misfits.push_back(misfit.item());
  }
  run.source = search.source.tensor();
  return run;
}

// In f32. A transform of n numbers of at most 1 is off by log2(n) roundings of its size, which is sqrt(n)
// here: its inverse takes that back. Forward and backward are 24 roundings, the factor and the sums around
// it few more.
const double eps = std::ldexp(1.0, -23);
const double of_potential = 2 * 32 * eps;
// A gradient takes twice the way. Four steps add up gradients of weights of at most 9.05, which momentum
// gives them.
const double of_source = 9.05 * 2 * 2 * of_potential;
double of_misfit(double misfit) {
  return std::sqrt(2 * misfit * static_cast<double>(points)) * of_source + 2 * 12 * eps * misfit;
}

class poisson_in_jax : public OracleTest {};

TEST_F(poisson_in_jax, has_the_potential_and_takes_the_steps) {
  if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  const Descent ours = descend();
  const Verdict jax = Oracle::shared().run_jax("poisson_search",
                                               {bumps(0), bumps(2), Tensor({1}, std::vector{double(steps)})});
  ASSERT_EQ(jax.failure, "");
  for (int i = 0; i < steps; ++i) {
    const double theirs = jax.results[1][0].at(i);
    EXPECT_NEAR(ours.misfits[static_cast<std::size_t>(i)], theirs, of_misfit(theirs));
  }
  for (std::int64_t i = 0; i < points; ++i) {
    ASSERT_NEAR(ours.potential.at(i), jax.results[0][0].at(i), of_potential) << i;
    ASSERT_NEAR(ours.source.at(i), jax.results[2][0].at(i), of_source) << i;
  }
}

}  // namespace
