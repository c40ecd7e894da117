// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/fuse/region_uses.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/run/fuse/steps.hpp"

namespace tutti {
namespace {

/// How many comparisons and selections of a program on x: f32[8,40] become one kernel.
int gates(const std::function<Array(const Array&)>& body) {
  Mesh mesh({{"a", 4}});
  Program program = test_program(mesh, {{DType::f32, {8, 40}, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  int found = 0;
  for (const Step& step : steps.list)
    for (const auto& [last, chain] : step.uses.chains)
      for (const auto& link : chain) found += link.comparison.has_value();
  return found;
}

Array scalar(double value) { return full({}, value, DType::f32); }

TEST(uses_of, makes_one_of_a_comparison_and_the_selection_of_its_limit) {
  EXPECT_EQ(gates([](const Array& x) { return where(x <= scalar(0), x, x + 1.0); }), 0);    // selects another
  EXPECT_EQ(gates([](const Array& x) { return where(x <= scalar(0), scalar(0), x); }), 0);  // another zero
  using Compare = Array (*)(const Operand&, const Operand&);
  for (Compare compare : {Compare(operator<=), Compare(operator<), Compare(operator>), Compare(operator>=)})
    EXPECT_EQ(gates([=](const Array& x) {
                Array limit = scalar(2);
                return where(compare(x, limit), limit, x * 2.0);
              }),
              1);
  EXPECT_EQ(gates([](const Array& x) {
              Array limit = scalar(2), small = x <= limit;  // also for another: the bools are needed
              return where(small, limit, x) + where(small, x, 1.0);
            }),
            0);
}

/// The sizes of the chains of a program on x: [90,100], in tiles of some rows, that is one region; it is
/// checked.
std::vector<std::size_t> chains(const std::function<Array(const Array&)>& body, DType dtype = DType::f32) {
  Mesh mesh({{"a", 4}});
  Program program = test_program(mesh, {{dtype, {4 * 90, 100}, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{mesh.axes()}});
  expect_all_plans_compute(program, mesh);
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  EXPECT_EQ(steps.list.size(), 1U);
  std::vector<std::size_t> sizes;
  for (const auto& [last, chain] : steps.list[StepId{0}].uses.chains) sizes.push_back(chain.size());
  return sizes;
}

using Sizes = std::vector<std::size_t>;

TEST(uses_of, makes_a_chain_of_what_goes_on_from_one_value) {
  EXPECT_EQ(chains([](const Array& x) { return maximum(2.0 - (x + 1.0) * x, x); }), Sizes{4});
  EXPECT_EQ(chains([](const Array& x) {
              Array y = x + 1.0, limit = scalar(0);
              return where(y <= limit, limit, y) * 2.0;  // a gate
            }),
            Sizes{3});
  EXPECT_EQ(chains([](const Array& x) {
              Array y = x + 1.0;
              return y * y - x;  // a square
            }),
            Sizes{3});
  EXPECT_EQ(chains([](const Array& x) {
              Array y = x;
              for (int i = 0; i < 8; ++i) y = minimum(y + 1.0, x);
              return y;
            }),
            (Sizes{7, 7, 2}));
  EXPECT_EQ(chains([](const Array& x) { return rem(x + 1.0, x) * 2.0; }), Sizes{});
}

// A chain also computes the other operands of its links, so these are no chains of their own.
TEST(uses_of, takes_in_the_chains_of_other_operands) {
  EXPECT_EQ(chains([](const Array& x) { return (x + 1.0) * (x - 2.0); }), Sizes{2});
  EXPECT_EQ(chains([](const Array& x) { return 3.0 - ((x - 1.0) - (x * 2.0 + x)) * (4.0 - x); }), Sizes{4});
  EXPECT_EQ(chains([](const Array& x) {  // only one value stands aside at a time
              return ((x + 1.0) * (x - 2.0)) - ((x + 3.0) * (x - 4.0));
            }),
            (Sizes{2, 3}));
  EXPECT_EQ(chains([](const Array& x) {
              Array y = x + 1.0, other = x * x;
              return y * other + other;  // read twice
            }),
            Sizes{3});
  EXPECT_EQ(chains([](const Array& x) { return (x + 1.0) * (x - 2.0); }, DType::bf16), Sizes{2});
}

TEST(uses_of, makes_rows_that_are_folded_where_they_are_folded) {
  EXPECT_EQ(chains([](const Array& x) { return reduce_sum((x + 1.0) * x, 1); }), Sizes{3});
  EXPECT_EQ(chains([](const Array& x) { return reduce_max(x * x, 1) + 1.0; }), Sizes{2});
}

// x - mean is read by the square and by the scaling: both begin with it.
TEST(uses_of, makes_again_what_two_chains_begin_with) {
  auto normalised = [](const Array& x) {
    Array centred = x - expand_dims(reduce_max(x, 1), 1);
    Array spread = expand_dims(reduce_sum(square(centred), 1), 1);
    return centred * (spread + 1.0) * 2.0 + x;
  };
  for (DType dtype : {DType::f32, DType::f64}) EXPECT_EQ(chains(normalised, dtype), (Sizes{3, 4}));
}

// Both results begin with x - 1; the first may not lie over x, which the second reads again.
TEST(uses_of, keeps_what_a_second_chain_reads_again) {
  Mesh mesh({{"a", 4}});
  auto expect_computed = [&](const std::function<Arrays(const Arrays&)>& body) {
    expect_all_plans_compute(test_program(mesh, {{DType::f32, {4 * 90, 100}, {mesh.axes()}}}, body,
                                          {{mesh.axes()}, {mesh.axes()}}),
                             mesh);
  };
  expect_computed([](const Arrays& x) {
    Array made = x[0] - 1.0;
    return Arrays{made * 2.0, made * x[0] + x[0]};
  });
  expect_computed([](const Arrays& x) {  // the first chain takes in the one that begins with x - 1
    Array made = x[0] - 1.0;
    return Arrays{x[0] * x[0] + x[0] - made * 2.0, made * x[0] + x[0]};
  });
}

}  // namespace
}  // namespace tutti
