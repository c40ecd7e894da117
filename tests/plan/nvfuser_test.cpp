// SPDX-License-Identifier: Apache-2.0
// The transitions that nvFuser tests, N1 to N29, and limits of its communication that plans do not have. d is
// 4 devices.
// N15 to N20 are between other devices: tests of meshes with devices of their own have these. N30 times CUDA
// backends (multicast, batched copies): the runtime has one backend, which copies in one process.
#include <gtest/gtest.h>

#include "tests/plan/on_machine.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/transitions.hpp"
#include "tests/support/values.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

ReshardPlan planned(std::string_view mesh, const Type& whole, Pair pair, const ReshardOptions& options = {}) {
  const Mesh devices = mesh_of(mesh);
  return plan({whole, sharding_of(devices, whole.rank(), pair.first),
               sharding_of(devices, whole.rank(), pair.second), options});
}

void expect_move(std::string_view mesh, const Type& whole, Pair pair, const std::string& steps) {
  const ReshardPlan found = planned(mesh, whole, pair, {.objective = PlanObjective::steps});
  EXPECT_EQ(names_of(found.steps), steps) << to_string(found);
  EXPECT_EQ(wrong_on_machine(found), "") << to_string(found);
}

const Machine& line() {
  static const Machine machine = open_local(mesh_of("x4"), {.workers = 2});
  return machine;
}
const Machine& grid() {
  static const Machine machine = open_local(mesh_of("y2 x2"), {.workers = 2});
  return machine;
}

Array counted(const Shape& shape, DType dtype = DType::f32) { return Array(numbered(dtype, shape)); }

template <class F>
Tensor run(const Machine& machine, const F& function, const Array& x) {
  return machine.compile(function, x)(x).tensor();
}

/// 0, 1, 2, .. of one shape, in another: splits within a dim are splits of the dims that it becomes.
Array reshaped(const Shape& from, const Shape& to) {
  return run(line(), [&](const Array& x) { return reshape(x, to); }, counted(from));
}

// --- N1 to N7: collectives ---------------------------------------------------------------------------------

TEST(nvfuser, n1_gathers_a_vector) { expect_move("x4", {DType::f32, {16}}, {"[x]", ""}, "all_gather"); }

TEST(nvfuser, n2_gathers_columns_within_a_row_of_devices) {
  expect_move("y2 x2", {DType::f32, {4, 6}}, {"[y][x]", "[y][]"}, "all_gather");
}

TEST(nvfuser, n3_gathers_a_repeated_value) {
  auto body = [](const Array& part) { return reshard(broadcast_in_dim(part, {1, 3}, {0}), P("x"), P()); };
  const Tensor found =
      run(line(), shard_map(body, {.mesh = line().mesh(), .in = P("x"), .out = P()}), counted({4}));
  EXPECT_EQ(found,
            run(line(), [](const Array& x) { return broadcast_in_dim(x, {4, 3}, {0}); }, counted({4})));
}

/// The sum over dim `dim`, which x splits, summed here and then over the devices to where `to` says.
void expect_sum(const Shape& shape, int dim, const P& from, const P& to) {
  auto body = [&](const Array& part) {
    const Array terms = pcast(reduce_sum(part, dim), "x", unreduced);
    return reshard(terms, P().unreduced({"x"}), to);
  };
  const Array x = counted(shape);
  EXPECT_EQ(run(line(), shard_map(body, {.mesh = line().mesh(), .in = from, .out = to}), x),
            run(line(), [&](const Array& whole) { return reduce_sum(whole, dim); }, x));
}

TEST(nvfuser, n4_sums_a_split_dim_everywhere) {
  expect_sum({2, 12, 5}, 1, P(none, "x"), P());
  expect_move("x4", {DType::f32, {2, 5}}, {"[][]{x}", ""}, "psum");
}
TEST(nvfuser, n5_scatters_a_sum_over_the_last_dim) {
  expect_sum({4, 16}, 0, P("x"), P("x"));
  expect_move("x4", {DType::f32, {16}}, {"[]{x}", "[x]"}, "psum_scatter");
}
TEST(nvfuser, n6_scatters_a_sum_over_a_dim_that_is_not_in_front) {
  expect_sum({4, 3, 16}, 0, P("x"), P(none, "x"));
  expect_move("x4", {DType::f32, {3, 16}}, {"[][]{x}", "[][x]"}, "psum_scatter");
}
TEST(nvfuser, n7_dispatches_and_combines_experts_in_half_precision) {
  expect_move("x4", {DType::f16, {4, 12}}, {"[x][]", "[][x]"}, "exchange");
  expect_move("x4", {DType::f16, {4, 12}}, {"[][x]", "[x][]"}, "exchange");
}

// --- N8 to N14: what each device holds ---------------------------------------------------------------------

/// Element `index` of the part of device `rank`, for each.
void expect_held(const Machine& machine, const Array& x, const P& spec,
                 const std::function<std::int64_t(std::int64_t rank, std::int64_t index)>& expected) {
  const Array placed = reshard(x, machine.mesh(), spec);
  for (int rank = 0; rank < machine.mesh().devices(); ++rank) {
    const Tensor part = placed.data()->shard(rank);
    for (std::int64_t i = 0; i < part.elements(); ++i)
      EXPECT_EQ(part.at(i), static_cast<double>(expected(rank, i))) << rank;
  }
  EXPECT_TRUE(reshard(placed, machine.mesh(), P()).tensor() == x.tensor());
  auto gathered = [&](const Array& part) { return reshard(part, spec, P()); };
  EXPECT_EQ(run(machine, shard_map(gathered, {.mesh = machine.mesh(), .in = spec, .out = P()}), placed),
            x.tensor());
}

TEST(nvfuser, n8_splits_inside_so_that_devices_take_turns) {
  expect_held(line(), reshaped({12}, {3, 4}), P(none, "x"),
              [](std::int64_t rank, std::int64_t i) { return 4 * i + rank; });
}
TEST(nvfuser, n9_splits_in_the_middle) {
  expect_held(line(), reshaped({24}, {2, 4, 3}), P(none, "x"),
              [](std::int64_t rank, std::int64_t i) { return i / 3 * 12 + 3 * rank + i % 3; });
}
TEST(nvfuser, n10_sums_columns_of_each_device) { expect_sum({2, 12}, 1, P(none, "x"), P()); }
TEST(nvfuser, n11_holds_blocks_of_a_matrix) {
  expect_held(grid(), counted({4, 6}), P("y", "x"), [](std::int64_t rank, std::int64_t i) {
    return (rank / 2 * 2 + i / 3) * 6 + rank % 2 * 3 + i % 3;
  });
}
TEST(nvfuser, n12_splits_one_dim_outside_and_in_the_middle) {
  expect_held(grid(), reshaped({24}, {2, 2, 2, 3}), P("y", none, "x"), [](std::int64_t rank, std::int64_t i) {
    return rank / 2 * 12 + i / 3 * 6 + rank % 2 * 3 + i % 3;
  });
}
TEST(nvfuser, n13_splits_one_dim_over_two_axes) {
  expect_held(grid(), reshaped({2, 12, 5}, {2, 2, 2, 3, 5}), P(none, "y", "x"),
              [](std::int64_t rank, std::int64_t i) { return i / 15 * 60 + rank * 15 + i % 15; });
}
TEST(nvfuser, n14_leaves_dims_of_size_1_as_they_are) {
  expect_held(line(), counted({1, 12}), P(none, "x"),
              [](std::int64_t rank, std::int64_t i) { return 3 * rank + i; });
  expect_move("x4", {DType::f32, {1, 12}}, {"", "[][x]"}, "slice");
}

// --- N21 to N29: sums, and orders of dims ------------------------------------------------------------------

TEST(nvfuser, n21_sums_here_then_scatters_in_one_step) { expect_sum({8, 12}, 1, P(none, "x"), P("x")); }
TEST(nvfuser, n22_scatters_the_first_dim_of_a_sum) { expect_sum({4, 4, 5}, 0, P("x"), P("x")); }
TEST(nvfuser, n23_scatters_a_sum_in_one_step) { expect_sum({4, 12}, 0, P("x"), P("x")); }
TEST(nvfuser, n24_scatters_and_gathers_to_the_sum_on_all) {
  expect_move("x4", {DType::f32, {4, 5}}, {"[][]{x}", "[x][]"}, "psum_scatter");
  expect_move("x4", {DType::f32, {4, 5}}, {"[x][]", ""}, "all_gather");
  EXPECT_EQ(planned("x4", {DType::f32, {4, 5}}, {"[][]{x}", "[x][]"}).totals.bytes +
                planned("x4", {DType::f32, {4, 5}}, {"[x][]", ""}).totals.bytes,
            planned("x4", {DType::f32, {4, 5}}, {"[][]{x}", ""}).totals.bytes);
}
TEST(nvfuser, n25_scatters_the_last_dim_of_a_sum) { expect_sum({5, 12, 28}, 1, P(none, "x"), P(none, "x")); }

/// The sum and the gathered array, of parts that were transposed before.
TEST(nvfuser, n26_sums_a_transposed_part) {
  auto body = [](const Array& part) {
    const Array terms = pcast(reduce_sum(transpose(part, {1, 0}), 0), "x", unreduced);
    return reshard(terms, P().unreduced({"x"}), P());
  };
  const Array x = counted({5, 12});
  EXPECT_EQ(run(line(), shard_map(body, {.mesh = line().mesh(), .in = P(none, "x"), .out = P()}), x),
            run(line(), [](const Array& whole) { return reduce_sum(whole, 1); }, x));
}
TEST(nvfuser, n27_gathers_the_slowest_dim_without_a_copy) {
  const Type whole(DType::f32, {12, 5});
  EXPECT_EQ(planned("x4", whole, {"[x][]", ""}).steps.at(0).scratch_bytes, 0);
  expect_move("x4", whole, {"[x][]", ""}, "all_gather");
}
TEST(nvfuser, n28_unpacks_where_another_dim_is_gathered) {
  const Type whole(DType::f32, {5, 12});
  EXPECT_EQ(planned("x4", whole, {"[][x]", ""}).steps.at(0).scratch_bytes, 240);
  expect_move("x4", whole, {"[][x]", ""}, "all_gather");
}
TEST(nvfuser, n29_gathers_and_turns_the_result) {
  auto body = [](const Array& part) { return transpose(reshard(part, P(none, "x"), P()), {1, 0}); };
  const Array x = counted({2, 12});
  EXPECT_EQ(run(line(), shard_map(body, {.mesh = line().mesh(), .in = P(none, "x"), .out = P()}), x),
            run(line(), [](const Array& whole) { return transpose(whole, {1, 0}); }, x));
}

// --- Limits that plans do not have -------------------------------------------------------------------------

const Type square(DType::f32, {12, 12});

TEST(nvfuser_limit, arrays_need_not_divide_to_be_laid_out) {
  const Array x = counted({10, 7});
  const Array placed = reshard(x, line().mesh(), P("x"));
  EXPECT_EQ(placed.data()->shard(3).shape(), (Shape{1, 7}));
  EXPECT_TRUE(reshard(placed, line().mesh(), P(none, "x")).tensor() == x.tensor());
}
TEST(nvfuser_limit, several_mesh_axes_change_in_one_step) {
  expect_move("x2 y3", square, {"[x][y]", ""}, "all_gather");
  expect_move("x2 y3", square, {"[yx][]", "[][xy]"}, "exchange");
  expect_move("x2 y3", square, {"[][]{xy}", "[y][x]"}, "psum_scatter");
  expect_move("x2 y3", square, {"", "[y][x]"}, "slice");
}
TEST(nvfuser_limit, an_axis_subset_of_several_axes_of_a_dim_changes_in_one_step) {
  expect_move("x2 y3 z2", square, {"[xyz][]", "[x][]"}, "all_gather");
  expect_move("x2 y3 z2", square, {"[xyz][]", "[x][zy]"}, "exchange");
  expect_move("x2 y3 z2", {DType::f32, {24, 24}}, {"[z][]{xy}", "[zx][]{y}"}, "psum_scatter");
}
TEST(nvfuser_limit, groups_lie_along_the_axis_that_changes) {
  EXPECT_EQ(planned("x2 y3", square, {"[x][]", ""}).steps.at(0).groups,
            (std::vector<std::vector<int>>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(planned("x2 y3", square, {"[y][]", ""}).steps.at(0).groups,
            (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}));
  expect_move("x2 y3", square, {"[x][]", ""}, "all_gather");
  expect_move("x2 y3", square, {"[x][]", "[][x]"}, "exchange");
  expect_move("x2 y3", square, {"[][]{x}", ""}, "psum");
}
TEST(nvfuser_limit, splits_that_are_not_outermost_are_communicated) {
  expect_move("x2 y3", square, {"[xy][]", "[x][y]"}, "exchange");
  expect_move("x2 y3", square, {"[xy][]", "[x][]"}, "all_gather");
}
TEST(nvfuser_limit, both_dims_of_an_exchange_are_checked) {
  const Mesh mesh = mesh_of("x4");
  auto refused = [&](const Shape& shape) {
    const std::string said = refusal([&] {
      trace({Type(DType::f32, {2, 8}, {})}, [&](const Arrays& x) {
        return Arrays{exchange(x[0], shape, sharding_of(mesh, 2, "[x][]"), sharding_of(mesh, 2, "[][x]"))};
      });
    });
    const std::size_t at = said.find("dim");
    return said.substr(0, 4) + " " + said.substr(at, said.find(" over") - at);
  };
  EXPECT_EQ(refused({8, 6}), "T005 dim 1 of f32[8,6] does not split");
  EXPECT_EQ(refused({6, 8}), "T005 dim 0 of f32[6,8] does not split");
}
TEST(nvfuser_limit, an_exchange_of_inner_dims_is_unpacked) {
  expect_move("x4", {DType::f32, {3, 8, 2, 8}}, {"[][x]", "[][][][x]"}, "exchange");
  expect_move("x4", {DType::f32, {3, 8, 2, 8}}, {"[][][][x]", "[][x]"}, "exchange");
}
TEST(nvfuser_limit, a_slice_on_one_mesh_sends_nothing) {
  const ReshardPlan found = planned("x4", square, {"", "[x][]"});
  EXPECT_EQ(names_of(found.steps), "slice");
  EXPECT_EQ(found.totals.bytes, 0);
  EXPECT_EQ(found.totals.steps, 0);
  EXPECT_EQ(wrong_on_machine(found), "");
}
TEST(nvfuser_limit, replicated_receivers_cost_one_gather_not_one_each) {
  const ReshardPlan gather = planned("x4", square, {"[x][]", ""});
  EXPECT_EQ(gather.totals.steps, 1);
  EXPECT_EQ(gather.totals.bytes,
            3 * 144);  // of 576 bytes; a gather for each of 4 receivers would send 4 times that
  const ReshardPlan sum = planned("x4", square, {"[][]{x}", ""});
  EXPECT_EQ(sum.totals.steps, 1);
  EXPECT_EQ(sum.totals.bytes, 2 * 3 * 144);
}
TEST(nvfuser_limit, every_pair_has_a_plan) {
  const Mesh mesh = mesh_of("x2 y3");
  int composite = 0;
  for (const Sharding& from : all_shardings(mesh, 2, Sums::included))
    for (const Sharding& to : all_shardings(mesh, 2, Sums::included)) {
      const PlanRequest request{square, from, to};
      composite += classify(request).ours.starts_with("composite") ? 1 : 0;
      EXPECT_NO_THROW(plan(request));
    }
  EXPECT_GT(composite, 50);
}
TEST(nvfuser_limit, the_largest_of_negative_numbers_is_negative_and_means_exist) {
  const Array x = run(line(), [](const Array& v) { return v - 100.0; }, counted({4}));
  auto body = [](const Array& part) { return std::pair{pmax(part, "x"), pmean(part, "x")}; };
  const auto [largest, mean] =
      line().compile(shard_map(body, {.mesh = line().mesh(), .in = P("x"), .out = P()}), x)(x);
  EXPECT_EQ(largest.tensor().at(0), -97);
  EXPECT_EQ(mean.tensor().at(0), -98.5);
}
TEST(nvfuser_limit, meshes_have_as_many_axes_as_wanted) {
  expect_move("x2 y2 z2 w2", {DType::f32, {16, 16}}, {"[xyzw][]", "[][wzyx]"}, "exchange");
}

}  // namespace
}  // namespace tutti
