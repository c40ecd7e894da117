// SPDX-License-Identifier: Apache-2.0
// Plans run by the runtime: right data, the same forth and back, sums, layouts, adjoints.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/plan/on_machine.hpp"
#include "tests/support/full_sets.hpp"
#include "tests/support/values.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/transform/transpose.hpp"
#include "tutti/transform/vjp.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

ReshardPlan planned(const Type& whole, const Sharding& from, const Sharding& to,
                    const ReshardOptions& options = {}) {
  return plan({whole, from, to, options});
}

template <class F>
void for_each_pair(const std::vector<Sharding>& all, F&& look) {
  for (const Sharding& from : all)
    for (const Sharding& to : all) look(from, to);
}

// --- Traffic -----------------------------------------------------------------------------------------------

/// The ops of a step that communicate say the bytes that the planner counts.
TEST(plan_on_machine, has_steps_of_as_many_bytes_as_the_traffic_of_their_ops) {
  const Mesh mesh = mesh_of("x4 y2");
  const Type whole(DType::f32, {16, 16});
  int compared = 0;
  for_each_pair(all_shardings(mesh, whole.shape(), Sums::included), [&](const Sharding& from,
                                                                        const Sharding& to) {
    for (const PlanStep& step : planned(whole, from, to).steps) {
      const auto taken = [&](const Arrays& in) { return Arrays{take(step, in[0])}; };
      const Traffic traffic = traffic_of(trace({local_type(whole, step.before)}, taken).program);
      EXPECT_EQ(traffic.received, step.received_bytes)
          << to_string(step.before) << " " << to_string(step.after);
      EXPECT_LE(traffic.sent, step.sent_bytes) << to_string(step.before) << " " << to_string(step.after);
      ++compared;
    }
  });
  EXPECT_GT(compared, 100);
}

// --- Data --------------------------------------------------------------------------------------------------

/// A pair on a mesh of 1 to 3 axes, for an array of rank 0 to 4 of at most 2,000 elements.
PlanRequest drawn(std::mt19937& engine) {
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); };
  constexpr const char* meshes[] = {"x4",       "x6",    "x2 y2", "x2 y3", "x4 y2", "x2 y2 z2", "x3 y2 z2",
                                    "x2 y1 z3", "x2 y4", "x8",    "x3 y3", "x5",    "x2 y2 z3", "x1"};
  for (;;) {
    const Mesh mesh = mesh_of(meshes[below(std::size(meshes))]);
    std::vector<std::int64_t> sizes(below(5));
    for (std::int64_t& size : sizes) {
      size = static_cast<std::int64_t>(1 + below(3));
      for (const Axis& axis : mesh.axes())
        if (below(2) == 0) size *= axis.size;
    }
    const Shape shape(sizes);
    if (shape.elements() > 2'000) continue;
    const std::vector<Sharding> all = all_shardings(mesh, shape, Sums::included);
    PlanRequest request{Type(DType::i32, shape), all[below(all.size())], all[below(all.size())]};
    constexpr PlanObjective objectives[] = {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps};
    request.options = {.objective = objectives[below(3)], .direct = below(8) == 0};
    return request;
  }
}

TEST(plan_on_machine, brings_right_data_for_drawn_pairs) {
  std::mt19937 engine(19);
  for (int i = 0; i < (tries_full_sets() ? 2'000 : 200); ++i) {
    const ReshardPlan found = plan(drawn(engine));
    ASSERT_EQ(wrong_on_machine(found, i % 2 == 0 ? Taken::by_steps : Taken::at_once), "") << to_string(found);
  }
}

TEST(plan_on_machine, goes_there_and_back_to_what_it_was) {
  const Type whole(DType::i32, {12, 6});
  for_each_pair(all_shardings(mesh_of("x2 y3"), 2), [&](const Sharding& from, const Sharding& to) {
    const ReshardPlan there = planned(whole, from, to), back = planned(whole, to, from);
    auto body = [&](const Arrays& x) { return Arrays{take(back, take(there, x[0]))}; };
    const PerDevice parts = parts_of(whole, from);
    const Program program = trace({local_type(whole, from)}, body).program;
    ASSERT_EQ(run_on_machine(program, from.mesh, {parts})[0], parts) << to_string(there) << to_string(back);
  });
}

// --- Sums --------------------------------------------------------------------------------------------------

/// The results of two ways from one sharding to another, each through a list of shardings.
std::vector<PerDevice> by_two_ways(std::string_view mesh, const Shape& shape,
                                   const std::vector<std::string>& first,
                                   const std::vector<std::string>& second) {
  const Mesh devices = mesh_of(mesh);
  const Type whole(DType::i32, shape);
  auto sharding = [&](const std::string& text) { return sharding_of(devices, shape.rank(), text); };
  auto along = [&](Array x, const std::vector<std::string>& way) {
    for (std::size_t i = 1; i < way.size(); ++i)
      x = take(planned(whole, sharding(way[i - 1]), sharding(way[i])), x);
    return x;
  };
  auto body = [&](const Arrays& x) { return Arrays{along(x[0], first), along(x[0], second)}; };
  const Sharding from = sharding(first[0]);
  return run_on_machine(trace({local_type(whole, from)}, body).program, devices, {parts_of(whole, from)});
}
void expect_same(std::string_view mesh, const Shape& shape, const std::vector<std::string>& first,
                 const std::vector<std::string>& second) {
  const std::vector<PerDevice> found = by_two_ways(mesh, shape, first, second);
  EXPECT_EQ(found[0], found[1]) << first[0] << " to " << first.back();
}

TEST(plan_of_sums, masks_what_the_sum_gives_back) {
  expect_same("x4", {4, 4}, {"", "[][]{x}", ""}, {""});
  expect_same("x2 y3", {6, 4}, {"[y][]", "[y][]{x}", "[y][]"}, {"[y][]"});
  expect_same("x2 y3", {6, 4}, {"", "[][]{xy}", ""}, {""});
}

TEST(plan_of_sums, gathers_by_terms_as_by_blocks) {
  expect_same("x4", {8, 4}, {"[x][]", "[][]{x}", ""}, {"[x][]", ""});
  expect_same("x4", {8, 4}, {"[][x]", "[][]{x}", ""}, {"[][x]", ""});
  expect_same("x2 y3", {6, 4}, {"[yx][]", "[][]{xy}", ""}, {"[yx][]", ""});
}

TEST(plan_of_sums, scatters_what_the_sum_sliced_is) {
  expect_same("x4", {8, 4}, {"[][]{x}", "", "[x][]"}, {"[][]{x}", "[x][]"});
  expect_same("x4", {8, 4}, {"[][]{x}", "", "[][x]"}, {"[][]{x}", "[][x]"});
  expect_same("x2 y3", {6, 12}, {"[][]{xy}", "", "[y][x]"}, {"[][]{xy}", "[y][x]"});
}

TEST(plan_of_sums, wraps_around_where_integers_overflow) {
  const Mesh mesh = mesh_of("x4");
  const Type whole(DType::i32, {4});
  const Tensor large(Shape{4}, std::vector<std::int32_t>(4, 2'000'000'000));
  for (const char* to : {"", "[x]"}) {
    const ReshardPlan sum = planned(whole, sharding_of(mesh, 1, "[]{x}"), sharding_of(mesh, 1, to));
    const PerDevice found = run_on_machine(program_of(sum, Taken::by_steps), mesh, {PerDevice(4, large)})[0];
    for (const Tensor& part : found)
      EXPECT_EQ(part.at(0), static_cast<std::int32_t>(std::uint32_t{4} * 2'000'000'000U));
  }
}

// --- Layouts -----------------------------------------------------------------------------------------------

// Two ranks hold two rows each of 0 .. 15. A flat exchange would leave 0 1 2 3 8 9 10 11 on the first.
TEST(plan_layout, of_a_4x4_array_is_unpacked_where_a_flat_exchange_is_wrong) {
  const Mesh mesh = mesh_of("x2");
  const ReshardPlan found =
      planned(Type(DType::i32, {4, 4}), sharding_of(mesh, 2, "[x][]"), sharding_of(mesh, 2, "[][x]"));
  const PerDevice rows = blocks_of(numbered(DType::i32, {4, 4}), found.request.from);
  const PerDevice columns = run_on_machine(program_of(found, Taken::by_steps), mesh, {rows})[0];
  EXPECT_EQ(columns[0], Tensor(Shape{4, 2}, std::vector<std::int32_t>{0, 1, 4, 5, 8, 9, 12, 13}));
  EXPECT_EQ(columns[1], Tensor(Shape{4, 2}, std::vector<std::int32_t>{2, 3, 6, 7, 10, 11, 14, 15}));
}

TEST(plan_layout, is_right_for_every_split_and_concat_dim) {
  const Mesh mesh = mesh_of("x4");
  std::vector<std::int64_t> sizes;
  for (std::int64_t size : {4, 8, 4, 12}) {
    sizes.push_back(size);
    const Type whole(DType::i32, Shape(sizes));
    for_each_pair(all_shardings(mesh, whole.shape(), Sums::included),
                  [&](const Sharding& from, const Sharding& to) {
                    const ReshardPlan found = planned(whole, from, to);
                    ASSERT_EQ(wrong_on_machine(found), "") << to_string(found);
                  });
  }
}

/// Parts with their dims in the opposite order.
PerDevice turned(const Type& type, const PerDevice& parts) {
  std::vector<int> order(static_cast<std::size_t>(type.rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  PerDevice result;
  for (const Tensor& part : parts)
    result.push_back(computed_by([&](const Arrays& x) { return transpose(x[0], order); }, {part}));
  return result;
}

TEST(plan_layout, is_right_for_parts_that_were_transposed) {
  const Mesh mesh = mesh_of("x4");
  const Type whole(DType::i32, {4, 8, 12});
  const std::vector<int> order{2, 1, 0};
  for_each_pair(all_shardings(mesh, 3), [&](const Sharding& from, const Sharding& to) {
    const ReshardPlan found = planned(whole, from, to);
    const Type part = local_type(whole, from);
    const Type turned_part(part.dtype(), {part.shape()[2], part.shape()[1], part.shape()[0]}, part.states());
    auto body = [&](const Arrays& x) {
      return Arrays{transpose(take(found, transpose(x[0], order)), order)};
    };
    const PerDevice parts = turned(part, parts_of(whole, from));
    ASSERT_EQ(run_on_machine(trace({turned_part}, body).program, mesh, {parts})[0],
              turned(part, parts_of(whole, to)))
        << to_string(found);
  });
}

// [2, d, 3] split in the middle and [d, 6] split in front are the same 18 numbers, but other ones on each
// device.
TEST(plan_layout, of_a_middle_split_is_not_that_of_the_outer_split_of_the_same_array) {
  const Machine machine = open_local(mesh_of("x3"), {.workers = 2});
  const Array x(numbered(DType::i32, {2, 3, 3}));
  auto body = [](const Array& part) {
    const Array all = reshape(reshard(part, P(none, "x"), P()), {18});
    return reshape(reshard(all, P(), P("x")), {1, 6});
  };
  const Array found =
      machine.compile(shard_map(body, {.mesh = machine.mesh(), .in = P(none, "x"), .out = P("x")}), x)(x);
  EXPECT_EQ(found.tensor(), numbered(DType::i32, {3, 6}));
  // A global reshape between two shard_maps.
  auto own = [](const Array& part) { return part + axis_index("x") * 100; };
  auto both = [&](const Array& whole) {
    const Array middle =
        shard_map(own, {.mesh = machine.mesh(), .in = P(none, "x"), .out = P(none, "x")})(whole);
    return shard_map(own, {.mesh = machine.mesh(), .in = P("x"), .out = P("x")})(reshape(middle, {3, 6}));
  };
  const Tensor sums = machine.compile(both, x)(x).tensor();
  for (std::int64_t i = 0; i < 18; ++i) {
    const std::int64_t middle = i / 3 % 3, outer = i / 6;
    EXPECT_EQ(sums.at(i), static_cast<double>(i + 100 * (middle + outer))) << i;
  }
}

// --- Adjoints ----------------------------------------------------------------------------------------------

// <plan(x), y> = <x, transpose(y)>, in numbers whose sums are all exact.
TEST(plan_on_machine, has_the_adjoint_as_its_gradient) {
  const Mesh mesh = mesh_of("x2 y2");
  const Type whole(DType::f64, {4, 8});
  Random random(7);
  for_each_pair(all_shardings(mesh, 2, Sums::included), [&](const Sharding& from, const Sharding& to) {
    const ReshardPlan found = planned(whole, from, to);
    for (Taken taken : {Taken::by_steps, Taken::at_once}) {
      const Program program = program_of(found, taken);
      const Type in = local_type(whole, from), out = local_type(whole, to);
      const PerDevice x = random_values(random, Types{in}, Numbers::quarters, mesh)[0];
      const PerDevice y = random_values(random, Types{dual(out)}, Numbers::quarters, mesh)[0];
      const std::vector<PerDevice> both = run_on_machine(vjp(program, {true}), mesh, {x, y});
      ASSERT_EQ(pairing(out, both[0], y, mesh), pairing(in, x, both[1], mesh)) << to_string(found);
    }
  });
}

}  // namespace
}  // namespace tutti
