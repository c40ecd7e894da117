// SPDX-License-Identifier: Apache-2.0
// The heat example on 8 devices: steps of descent compared with the same in JAX.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/heat_model.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace heat;

const Mesh mesh({{"y", 4}, {"x", 2}});
constexpr std::int64_t rows = 24, columns = 20;
constexpr int time_steps = 20, steps = 4;

// Different at every point, without symmetry; at most half.
Tensor waves(double phase) {
  Tensor field({rows, columns}, DType::f32);
  for (std::int64_t i = 0; i < field.elements(); ++i)
    field.mutable_data<float>()[i] =
        static_cast<float>(0.5 * std::sin(phase + 0.4 * static_cast<double>(i / columns) +
                                          0.02 * static_cast<double>(i % columns * (i % columns))));
  return field;
}

struct Descent {
  std::vector<double> misfits;
  Tensor field;
};

template <class Step>
Descent descend(const Step& one_step) {
  Array final_field = waves(2);
  Search search{waves(0), Array(Tensor({rows, columns}, DType::f32))};
  auto take_step = open_local(mesh).compile(one_step, search, final_field);
  Descent run;
  for (int i = 0; i < steps; ++i) {
    Array misfit;
    std::tie(misfit, search) = take_step(search, final_field);
    run.misfits.push_back(misfit.item());
  }
  run.field = search.field.tensor();
  return run;
}

// In f32, for fields below `largest`, a time step makes no error larger. It adds one of 3 eps: sums of 2, 2,
// 4 and 8 times the largest number are rounded by half an eps each, weigh 0.2, and the product and the last
// sum are rounded.
// A gradient, of 2 * time_steps such steps, is known so far. Four steps of descent add up the gradients with
// weights of 3.44 + 2.71 + 1.9 + 1 at most, which momentum gives them. JAX is as far away as we are.
const double eps = std::ldexp(1.0, -23), largest = 2;
const double of_gradient = 2 * time_steps * 3 * eps * largest;
const double of_field = 2 * 9.05 * of_gradient;

// A misfit is half a sum of squares. Each square is as exact as the field, and the sum itself is rounded too.
double of_misfit(double misfit) {
  return std::sqrt(2 * misfit * rows * columns) * of_field + 2 * 12 * eps * misfit;
}

testing::AssertionResult agree(const Descent& ours, const Verdict& jax) {
  const Tensor &misfits = jax.results[0][0], &field = jax.results[1][0];
  for (std::size_t i = 0; i < ours.misfits.size(); ++i)
    if (double theirs = misfits.at(static_cast<std::int64_t>(i));
        !(std::abs(ours.misfits[i] - theirs) <= of_misfit(theirs)))
      return testing::AssertionFailure()
             << "misfit of step " << i + 1 << ": " << ours.misfits[i] << ", not " << theirs;
  for (std::int64_t i = 0; i < field.elements(); ++i)
    if (!(std::abs(ours.field.at(i) - field.at(i)) <= of_field && std::abs(field.at(i)) <= largest))
      return testing::AssertionFailure()
             << "point " << i << ": " << ours.field.at(i) << ", not " << field.at(i);
  return testing::AssertionSuccess();
}

// The halo of one border comes from the wrong device: the plate is a ring along "x".
Array misfit_of_a_ring(const Array& initial, const Array& final_field) {
  auto trip = [](const Array& field, std::tuple<>) {
    Array edge = slice_in_dim(field, -1, {}, 1, 1);
    Array wrong = ppermute(edge, "x", {{1, 0}});
    Array first = slice_in_dim(field, 0, 1, 1, 1), others = slice_in_dim(field, 1, {}, 1, 1);
    Array next = after_one_step(concatenate({first, others}, 1));
    Array more = concatenate({spread * wrong, zeros_like(others)}, 1);
    return std::pair{next + more, std::tuple{}};
  };
  Array last = scan(trip, initial, {}, {.length = time_steps}).first;
  return psum(reduce_sum(square(last - final_field)), {"y", "x"}) / 2;
}
std::pair<Array, Search> wrong_step(const Search& search, const Array& final_field) {
  auto [value, gradient] =
      value_and_grad([&](const Array& field) { return misfit_of_a_ring(field, final_field); })(search.field);
  Array velocity = 0.9F * search.velocity - gradient;
  return {value, {search.field + velocity, velocity}};
}

using heat_descent = OracleTest;

// One test, because JAX takes a while.
TEST_F(heat_descent, has_the_misfits_and_the_field_of_jax_and_with_a_wrong_halo_not) {
  Verdict jax = Oracle::shared().run_jax("heat_descent",
                                         {waves(0), waves(2),
                                          Tensor({2}, {std::int32_t{time_steps}, std::int32_t{steps}})});
  ASSERT_EQ(jax.failure, "");
  EXPECT_TRUE(agree(descend(sharded_step(mesh, time_steps)), jax));
  auto planted = shard_map(wrong_step, {.mesh = mesh, .in = by_tiles, .out = {P(), by_tiles}});
  EXPECT_FALSE(agree(descend(planted), jax));
}

}  // namespace
