// SPDX-License-Identifier: Apache-2.0
// The steps of collectives: how many passes over memory they take.
#include "tutti/run/graph/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/run/fuse/steps.hpp"

namespace tutti {
namespace {

const Mesh four({{"a", 4}});
using Kinds = std::vector<Step::Kind>;
constexpr auto region = Step::Kind::region, copy = Step::Kind::copy;

/// The steps of `body` on x, whose dim 0 lies along `a`; its result, along `a` in its first dim, is checked.
Kinds steps(const Shape& shape, const std::function<Array(const Array&)>& body, DType dtype = DType::f32) {
  Program program = test_program(four, {{dtype, shape, {four.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{four.axes()}});
  expect_all_plans_compute(program, four);
  Graph graph = make_graph(localised(program, four).program, four);
  Kinds kinds;
  for (const Step& step : make_steps(graph, Fusion::on).list) kinds.push_back(step.kind);
  return kinds;
}

Array scattered(const Array& x, int dim = 0) { return psum_scatter(x, "a", {.dim = dim, .tiled = true}); }

TEST(psum_scatter, is_one_pass_from_the_shards_to_the_blocks) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f16, DType::u8, DType::complex64})
    EXPECT_EQ(steps({4 * 4096, 3}, [](const Array& x) { return scattered(x); }, dtype), Kinds{region});
}

TEST(psum_scatter, is_fused_with_what_its_blocks_update) {
  EXPECT_EQ(steps({4 * 8, 40}, [](const Array& x) { return scattered(x) * 0.5 + 1.0; }), Kinds{region});
}

TEST(psum_scatter, of_what_a_region_makes_stays_there) {
  // x * x goes from tile to tile; the blocks of the sum are views of it.
  EXPECT_EQ(steps({4 * 8, 40}, [](const Array& x) { return scattered(x * x) * 0.5; }),
            (Kinds{region, region}));
}

TEST(psum_scatter, of_blocks_that_are_strewn_is_a_view_of_the_sum) {
  EXPECT_EQ(steps({4 * 8, 40}, [](const Array& x) { return scattered(x, 1); }), (Kinds{region, copy}));
}

// One element for each device. A value that is equal along `b` may not be loaded once, since the terms follow
// it in memory.
TEST(psum_scatter, of_equal_blocks_folds_all_terms) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  const Axes a{mesh.axes()[0]};
  expect_all_plans_compute(test_program(mesh, {{DType::f32, {2 * 2}, {a}}, {DType::f32, {2}, {a}}},
                                        [](const Arrays& x) {
                                          Array equal = broadcast_to(x[1], {2});
                                          return Arrays{scattered(x[0]), scattered(equal),
                                                        psum(scattered(equal), "a")};
                                        },
                                        {{a}, {a}, {}}),
                           mesh);
}

TEST(psum_scatter, over_two_axes_folds_the_blocks_of_all) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  expect_all_plans_compute(test_program(mesh, {{DType::f32, {4 * 16, 5}, {mesh.axes()}}},
                                        [](const Arrays& x) {
                                          return Arrays{psum_scatter(x[0], {"b", "a"}, {.tiled = true}),
                                                        psum_scatter(x[0], "b", {.tiled = true}) * 2.0};
                                        },
                                        {{{mesh.axes()[1], mesh.axes()[0]}}, {mesh.axes()}}),
                           mesh);
}

/// Every device's own copy of all shards, which lie apart.
Array gathered(const Array& x) { return all_gather(x, "a", {.tiled = true, .to = State::varying}); }

TEST(all_gather, to_varying_is_copied_from_the_shards_to_every_device) {
  EXPECT_EQ(steps({4 * 8192}, gathered), Kinds{copy});
  EXPECT_EQ(steps({4 * 8192}, [](const Array& x) { return gathered(x) + 1.0; }), (Kinds{copy, region}));
}

TEST(all_gather, of_short_runs_is_put_together_once) {
  // Copies of 20 bytes each; then whole copies of that.
  EXPECT_EQ(steps({4 * 4000, 5},
                  [](const Array& x) {
                    return all_gather(x, "a", {.dim = 1, .tiled = true, .to = State::varying});
                  }),
            (Kinds{copy, copy}));
}

}  // namespace
}  // namespace tutti
