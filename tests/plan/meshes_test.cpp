// SPDX-License-Identifier: Apache-2.0
// Plans from one mesh to another: other devices, other orders, other axes.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/plan/boxes_interpreter.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/plan/take_step.hpp"

namespace tutti {
namespace {

using Devices = std::vector<int>;
using Groups = std::vector<std::vector<int>>;

/// "x2" on some devices, and a sharding there. Bytes are elements.
struct Side {
  std::string_view axes;
  Devices devices;
  std::string_view sharding;
};
PlanRequest request(const Shape& shape, const Side& from, const Side& to,
                    const ReshardOptions& options = {}) {
  return {Type(DType::u8, shape), sharding_of(mesh_on(from.axes, from.devices), shape.rank(), from.sharding),
          sharding_of(mesh_on(to.axes, to.devices), shape.rank(), to.sharding), options};
}

std::string ops_of(const ReshardPlan& plan) {
  std::string text;
  for (const PlanStep& step : plan.steps) text += (text.empty() ? "" : ", ") + std::string(op_name(step));
  return text;
}

struct Row {
  std::string_view name;
  Shape shape;
  Side from, to;
  std::string_view ops;
  std::int64_t received;  // elements, by the device that receives the most
  std::string_view ours, nvfuser;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class BetweenMeshes : public testing::TestWithParam<Row> {};

TEST_P(BetweenMeshes, moves_exactly_what_is_missing) {
  const Row& row = GetParam();
  const PlanRequest asked = request(row.shape, row.from, row.to);
  const ReshardPlan found = plan(asked);
  EXPECT_EQ(ops_of(found), row.ops) << to_string(found);
  EXPECT_EQ(found.totals.bytes, row.received) << to_string(found);
  EXPECT_EQ(wrong_boxes(found), "") << to_string(found);
  const Classified one = classify(asked);
  EXPECT_EQ(one.ours, row.ours);
  EXPECT_EQ(one.nvfuser, row.nvfuser);
}

const Shape whole{16, 8};
constexpr std::int64_t T = 128;
const Devices four{0, 1, 2, 3};

INSTANTIATE_TEST_SUITE_P(
    table, BetweenMeshes,
    testing::Values(
        Row{"C1",
            whole,
            {"x2", {1, 2}, "[x]"},
            {"x2", {0, 1}, "[x]"},
            "send_recv",
            T / 2,
            "send_recv",
            "SendRecv"},
        Row{"C2",
            whole,
            {"x2", {1, 2}, "[x]"},
            {"x2", {1, 0}, "[x]"},
            "send_recv",
            T / 2,
            "send_recv",
            "SendRecv"},
        Row{"C3", whole, {"x1", {0}, ""}, {"x4", four, ""}, "broadcast", T, "broadcast", "Broadcast"},
        Row{"C4",
            whole,
            {"x1", {0}, ""},
            {"x4", four, "[x]"},
            "scatter",
            T / 4,
            "scatter",
            "Scatter from device 0"},
        Row{"C5", whole, {"x4", four, "[x]"}, {"x1", {0}, ""}, "gather", 3 * T / 4, "gather", "Gather"},
        Row{"C6", whole, {"x4", four, "{x}"}, {"x1", {0}, ""}, "psum", 3 * T / 2, "reduce", "Reduce"},
        Row{"C7", whole, {"x2", {0, 1}, ""}, {"x2", {2, 3}, ""}, "send_recv", T, "send_recv", "Broadcast"},
        Row{"C8",
            whole,
            {"x2", {1, 2}, "[x]"},
            {"x2", {0, 2}, ""},
            "exchange of boxes",
            T,
            "exchange of boxes",
            "Gather, 2 times: one for each receiver"},
        Row{"C9",
            whole,
            {"x2", {0, 2}, ""},
            {"x2", {1, 2}, "[x]"},
            "scatter",
            T / 2,
            "scatter",
            "Scatter from device 2"},
        Row{"C10",
            whole,
            {"x4", four, "[x]"},
            {"x2", {0, 1}, "[x]"},
            "exchange of boxes",
            T / 2,
            "exchange of boxes",
            "error: SendRecv needs as many devices, on one axis each"},
        Row{"C11",
            whole,
            {"x2", {0, 1}, "[x]"},
            {"x4", four, "[x]"},
            "exchange of boxes",
            T / 4,
            "exchange of boxes",
            "error: SendRecv needs as many devices, on one axis each"},
        Row{"C12",
            {12, 8},
            {"x4", four, "[x]"},
            {"x3", {0, 1, 2}, "[x]"},
            "exchange of boxes",
            96 / 4,
            "exchange of boxes",
            "error: SendRecv needs as many devices, on one axis each"},
        Row{"C13",
            {10, 8},
            {"x3", {0, 1, 2}, "[x]"},
            {"x4", four, "[x]"},
            "exchange of boxes",
            16,
            "exchange of boxes",
            "error: only even splits"},
        Row{"C14",
            whole,
            {"x2", {0, 1}, "[x]"},
            {"x2", {2, 3}, "[][x]"},
            "exchange of boxes",
            T / 2,
            "exchange of boxes",
            "error: AllToAll needs one mesh"},
        Row{"R57",
            whole,
            {"x4", four, "[x]"},
            {"x4", {3, 2, 1, 0}, "[x]"},
            "send_recv",
            T / 4,
            "send_recv",
            "SendRecv"},
        Row{"R58", whole, {"x4", four, ""}, {"x4", {3, 2, 1, 0}, ""}, "", 0, "nothing", "Broadcast"},
        Row{"R59",
            whole,
            {"x2 y2", four, "[x]"},
            {"x2 y2", {3, 2, 1, 0}, "[][xy]"},
            "slice, send_recv, all_to_all",
            3 * T / 8,
            "exchange of boxes",
            "error: 2 mesh axes change in one expression, one may"}));

// The cases that nvFuser tests, with k = 4 and as many rows as devices.
INSTANTIATE_TEST_SUITE_P(
    nvfuser, BetweenMeshes,
    testing::Values(
        Row{"N15a", {2, 4}, {"x2", {0, 1}, "[x]"}, {"x1", {0}, ""}, "gather", 4, "gather", "Gather"},
        Row{"N15b", {2, 4}, {"x2", {0, 1}, "[x]"}, {"x1", {1}, ""}, "gather", 4, "gather", "Gather"},
        Row{"N15c",
            {2, 4},
            {"x2", {1, 2}, "[x]"},
            {"x2", {0, 2}, ""},
            "exchange of boxes",
            8,
            "exchange of boxes",
            "Gather, 2 times: one for each receiver"},
        Row{"N16a",
            {2, 4},
            {"x1", {0}, ""},
            {"x2", {0, 1}, "[x]"},
            "scatter",
            4,
            "scatter",
            "Scatter from device 0"},
        Row{"N16b",
            {2, 4},
            {"x1", {1}, ""},
            {"x2", {0, 1}, "[x]"},
            "scatter",
            4,
            "scatter",
            "Scatter from device 1"},
        Row{"N16c",
            {2, 4},
            {"x2", {0, 2}, ""},
            {"x2", {1, 2}, "[x]"},
            "scatter",
            4,
            "scatter",
            "Scatter from device 2"},
        Row{"N16d",
            {2, 4},
            {"x1", {0}, ""},
            {"x2", {1, 2}, "[x]"},
            "scatter",
            4,
            "scatter",
            "error: Scatter needs a sender that also receives"},
        Row{"N17a", {1, 4}, {"x1", {0}, "[x]"}, {"x1", {1}, "[x]"}, "send_recv", 4, "send_recv", "SendRecv"},
        Row{"N17c",
            {2, 4},
            {"x2", {1, 2}, "[x]"},
            {"x2", {0, 1}, "[x]"},
            "send_recv",
            4,
            "send_recv",
            "SendRecv"},
        Row{"N17d",
            {2, 4},
            {"x2", {1, 2}, "[x]"},
            {"x2", {1, 0}, "[x]"},
            "send_recv",
            4,
            "send_recv",
            "SendRecv"},
        Row{"N18",
            {4, 4},
            {"x4", four, "[x]"},
            {"x2 y2", four, ""},
            "all_gather",
            12,
            "exchange of boxes",
            "Gather, 4 times: one for each receiver"},
        Row{"N19", {1, 4}, {"x1", {0}, ""}, {"x4", four, ""}, "broadcast", 4, "broadcast", "Broadcast"},
        Row{"N20a", {4}, {"x4", four, "{x}"}, {"x1", {0}, ""}, "psum", 6, "reduce", "Reduce"},
        Row{"N20b",
            {4},
            {"x4", four, "{x}"},
            {"x4", {3, 2, 1, 0}, ""},
            "psum",
            6,
            "composite: ask for a plan",
            "Reduce, 4 times: one for each receiver"}));

TEST(between_meshes, pairs_are_the_devices_of_the_machine) {
  EXPECT_EQ(plan(request(whole, {"x2", {1, 2}, "[x]"}, {"x2", {0, 1}, "[x]"})).steps[0].groups,
            (Groups{{1, 0}, {2, 1}}));
  EXPECT_EQ(plan(request(whole, {"x2", {0, 1}, ""}, {"x2", {2, 3}, ""})).steps[0].groups,
            (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(plan(request(whole, {"x4", four, "[x]"}, {"x4", {3, 2, 1, 0}, "[x]"})).steps[0].groups,
            (Groups{{0, 3}, {1, 2}, {2, 1}, {3, 0}}));
}

// Mesh order would pair 1 with 1 and 2 with 0 here, and 0 with 1 and 2 with 2 there.
TEST(between_meshes, blocks_stay_where_they_are) {
  EXPECT_EQ(plan(request(whole, {"x2", {1, 2}, "[x]"}, {"x2", {1, 0}, "[x]"})).steps[0].groups,
            (Groups{{2, 0}}));
  EXPECT_EQ(plan(request(whole, {"x2", {0, 2}, ""}, {"x2", {1, 2}, "[x]"})).steps[0].groups,
            (Groups{{0, 1}}));
}

TEST(between_meshes, other_axes_of_the_same_devices_move_nothing) {
  for (auto [axes, to] : std::vector<std::pair<std::string_view, std::string_view>>{{"a2 b2", "[ab]"},
                                                                                    {"z4", "[z]"},
                                                                                    {"a4 b1", "[ab]"}}) {
    const ReshardPlan found = plan(request(whole, {"x4", four, "[x]"}, {axes, four, to}));
    EXPECT_TRUE(found.steps.empty()) << to_string(found);
    EXPECT_NE(to_string(found).find("no step: every device holds what it needs"), std::string::npos);
  }
  EXPECT_EQ(ops_of(plan(request(whole, {"x4", four, "[x]"}, {"a2 b2", four, "[a][b]"}))), "all_to_all");
}

TEST(between_meshes, fewer_devices_that_hold_it_already_slice) {
  const ReshardPlan found = plan(request(whole, {"x4", four, ""}, {"x2", {3, 1}, "[x]"}));
  EXPECT_EQ(ops_of(found), "slice");
  EXPECT_EQ(found.totals.steps, 0);
}

TEST(between_meshes, much_data_is_scattered_and_gathered) {
  const Shape large{1 << 12, 1 << 10};
  EXPECT_EQ(ops_of(plan(request(large, {"x1", {0}, ""}, {"x4", four, ""}))), "scatter, all_gather");
  EXPECT_EQ(ops_of(
                plan(request(large, {"x1", {0}, ""}, {"x4", four, ""}, {.objective = PlanObjective::steps}))),
            "broadcast");
}

TEST(between_meshes, direct_is_one_exchange_of_boxes) {
  const ReshardPlan found =
      plan(request(whole, {"x2 y2", four, "[x]"}, {"x2 y2", {3, 2, 1, 0}, "[][xy]"}, {.direct = true}));
  EXPECT_EQ(ops_of(found), "exchange of boxes");
  EXPECT_EQ(found.totals.bytes, T / 8);
  EXPECT_EQ(wrong_boxes(found), "");
}

TEST(between_meshes, links_count_by_pairs) {
  const Side from{"x2 y2", four, "[x]"}, to{"x2 y2", {4, 5, 6, 7}, "[x]"};
  const PlanTotals one = plan(request(whole, from, to)).totals;
  const PlanTotals ten = plan(request(whole, from, to, {.links = {{"x", 10.0}}})).totals;
  EXPECT_EQ(ten.cost_of_bytes, 10 * one.cost_of_bytes);
  // Within the mesh, 0 and 1, 2 and 3 differ along y only.
  const Side swapped{"x2 y2", {1, 0, 3, 2}, "[xy]"};
  EXPECT_EQ(
      plan(request(whole, {"x2 y2", four, "[xy]"}, swapped, {.links = {{"y", 0.5}}})).totals.cost_of_bytes,
      0.5 * T / 4);
}

// 1 and 2 change places, across both axes: a byte costs what the dearer one does, on average over the group
// 7.
TEST(plan, direct_costs_what_its_pairs_cost) {
  const Mesh mesh = mesh_of("x2 y2");
  const ReshardPlan found = plan({Type(DType::u8, {8}),
                                  sharding_of(mesh, 1, "[xy]"),
                                  sharding_of(mesh, 1, "[yx]"),
                                  {.links = {{"x", 10.0}}, .direct = true}});
  EXPECT_EQ(found.totals.bytes, 2);
  EXPECT_EQ(found.totals.cost_of_bytes, 20);
}

// The devices are the same: a byte between them costs what it costs, whatever the axes are called.
TEST(between_meshes, a_link_is_not_evaded_by_other_names) {
  const ReshardOptions dear{.objective = PlanObjective::bytes, .links = {{"x", 100}}};
  const ReshardPlan same = plan(request({1024}, {"x4", {}, "[x]"}, {"x4", {}, ""}, dear));
  const ReshardPlan renamed = plan(request({1024}, {"x4", {}, "[x]"}, {"y4", {}, ""}, dear));
  const ReshardPlan reversed = plan(request({1024}, {"y4", {}, "[y]"}, {"x4", {3, 2, 1, 0}, ""}, dear));
  EXPECT_EQ(same.totals.bytes, 768);
  EXPECT_EQ(same.totals.cost_of_bytes, 76'800);
  EXPECT_EQ(renamed.totals.cost_of_bytes, same.totals.cost_of_bytes) << to_string(renamed);
  EXPECT_EQ(reversed.totals.cost_of_bytes, same.totals.cost_of_bytes) << to_string(reversed);
}

TEST(between_meshes, patterns_do_not_depend_on_numbers) {
  auto pattern = [](const Shape& shape, const Side& from, const Side& to) {
    return ops_of(plan(request(shape, from, to, {.objective = PlanObjective::bytes})));
  };
  for (const Devices& from : {Devices{0, 1}, Devices{1, 0}})  // of one element; one device has none
    EXPECT_EQ(pattern({1}, {"x2", from, "[x]"}, {"z3", {5, 6, 7}, ""}), "broadcast");
  for (const Devices& to : {Devices{5, 6}, Devices{6, 5}})
    EXPECT_EQ(pattern({1}, {"x1", {0}, ""}, {"z2", to, "[z]"}), "send_recv");
  // Two devices send the whole to one other each.
  EXPECT_EQ(pattern({48}, {"y2", {0, 1}, ""}, {"z4", {3, 2, 1, 0}, ""}), "send_recv");
}

TEST(between_meshes, bytes_that_cannot_be_counted_are_refused) {
  const Shape large{std::int64_t{1} << 58};
  auto refused = [&](const Side& from, const Side& to) {
    return refusal([&] { plan(request(large, from, to)); });
  };
  const std::string counted = "R003 a plan counts bytes up to 2^60; ";
  EXPECT_TRUE(refused({"x1", {}, ""}, {"y33", {}, ""}).starts_with(counted));
  EXPECT_TRUE(refused({"x4", {}, "[x]"}, {"x4", {}, ""}).starts_with(counted));
  EXPECT_EQ(plan(request({std::int64_t{1} << 56}, {"x4", {}, "[x]"}, {"x4", {}, ""})).steps.size(), 1U);
}

TEST(between_meshes, text_names_the_first_of_many_devices) {
  Devices reversed;
  for (int device = 16; device-- > 0;) reversed.push_back(device);
  const std::string text = to_string(plan(request(whole, {"x16", {}, "[x]"}, {"x16", reversed, "[x]"})));
  EXPECT_TRUE(text.starts_with(
      "u8[16,8], from P(x) on x=16 to P(x) on x=16 on devices 15,14,13,12,11,10,9,8 .. of 16\n"))
      << text;
}

TEST(between_meshes, a_move_between_too_many_blocks_is_refused) {
  const Mesh a({{"x", 8192}}), b({{"y", 4099}});
  const PlanRequest asked{Type(DType::u8, {8192, 4099}),
                          {a, {{a.axes()[0]}, {}}, {}, {}},
                          {b, {{}, {b.axes()[0]}}, {}, {}},
                          {.direct = true}};
  EXPECT_TRUE(
      refusal([&] { plan(asked); }).starts_with("R003 a move from P(x) on x=8192 to P(none, y) on y=4099"))
      << refusal([&] { plan(asked); });
}

TEST(between_meshes, programs_refuse_the_plan) {
  const ReshardPlan found = plan(request({4}, {"x2", {0, 1}, ""}, {"x2", {1, 2}, "[x]"}));
  EXPECT_EQ(refusal([&] { take(found, Array(Tensor({4}, DType::u8))); }),
            "T013 the plan leads from the mesh x=2 to x=2 on devices 1,2, and a program runs on one; reshard "
            "the array "
            "outside of shard_map");
}

TEST(between_meshes, a_link_may_name_an_axis_of_either_mesh) {
  const Side from{"x2", {0, 1}, ""}, to{"z2", {2, 3}, "[z]"};
  EXPECT_EQ(refusal([&] { plan(request(whole, from, to, {.links = {{"z", 2.0}, {"x", 3.0}}})); }),
            "accepted");
  EXPECT_TRUE(refusal([&] { plan(request(whole, from, to, {.links = {{"q", 2.0}}})); }).starts_with("T014 "));
}

TEST(between_meshes, nvfuser_has_limits) {
  auto answer = [](const Side& from, const Side& to) { return classify(request(whole, from, to)).nvfuser; };
  const Devices others{4, 5, 6, 7};
  EXPECT_EQ(answer({"x2 y2", four, "[y]"}, {"x4", others, ""}),
            "error: Gather needs a mesh of one axis to come from");
  EXPECT_EQ(answer({"x4", four, ""}, {"x2 y2", others, "[y]"}),
            "error: Scatter needs a mesh of one axis to go to");
  EXPECT_EQ(answer({"x2 y2", four, ""}, {"x4", others, ""}), "error: Broadcast needs meshes of one axis");
  EXPECT_EQ(answer({"x2 y2", four, "{y}"}, {"x4", others, ""}), "error: Reduce needs meshes of one axis");
  EXPECT_EQ(answer({"x4", four, "{x}"}, {"x4", others, "[x]"}), "error: ReduceScatter needs one mesh");
  EXPECT_EQ(answer({"x2 y2", four, "[xy]"}, {"x4", others, ""}),
            "error: 2 mesh axes change in one expression, one may");
  EXPECT_EQ(answer({"x4", four, ""}, {"x4", others, "{x}"}), "error: it has no partial values to go to");
  EXPECT_EQ(answer({"x2 y2 z2 w2", {}, "[x]"}, {"x4", others, ""}), "error: a mesh has three axes at most");
}

/// A mesh of some of six devices, in any order.
Mesh random_mesh(std::mt19937& random) {
  constexpr std::string_view forms[] = {"x2 y2", "x4", "x2 y3", "x6", "x3", "x2", "x1", "a3 b2", "a2 b1"};
  const Mesh form = mesh_of(forms[random() % std::size(forms)]);
  Devices devices{0, 1, 2, 3, 4, 5};
  if (random() % 3 != 0)
    for (std::size_t i = devices.size(); i-- > 1;) std::swap(devices[i], devices[random() % (i + 1)]);
  devices.resize(static_cast<std::size_t>(form.devices()));
  std::vector<std::pair<std::string, int>> axes;
  for (const Axis& axis : form.axes()) axes.emplace_back(axis.name, axis.size);
  return Mesh(axes, {.devices = devices});
}

PlanRequest random_request(std::mt19937& random) {
  const Shape shapes[] = {{12, 12}, {24, 6}, {7, 5}, {10, 3}, {12}, {5}, {1, 2}, {6, 2, 3}, {}};
  const Shape& shape = shapes[random() % std::size(shapes)];
  auto side = [&](Sums sums) {
    const std::vector<Sharding> all = all_shardings(random_mesh(random), shape.rank(), sums);
    return all[random() % all.size()];
  };
  const Sums sums = random() % 3 == 0 ? Sums::included : Sums::excluded;
  constexpr PlanObjective objectives[] = {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps};
  return {Type(DType::f32, shape),
          side(sums),
          side(sums),
          {.objective = objectives[random() % 3],
           .cap = random() % 4 == 0 ? 2.0 : 1.0,
           .direct = random() % 4 == 0}};
}

TEST(between_meshes, data_is_right_for_random_pairs) {
  std::mt19937 random(59);
  for (int i = 0; i < 3000; ++i) {
    const PlanRequest asked = random_request(random);
    const ReshardPlan found = plan(asked);
    ASSERT_EQ(wrong_boxes(found), "") << to_string(found);
    if (!asked.from.unreduced.empty() || !asked.to.unreduced.empty()) continue;
    ASSERT_GE(found.totals.bytes, 4 * missing_elements(asked)) << to_string(found);
    if (asked.options.direct) {
      ASSERT_EQ(found.totals.bytes, 4 * missing_elements(asked)) << to_string(found);
      ASSERT_LE(found.steps.size(), 1U) << to_string(found);
    }
  }
}

TEST(between_meshes, holds_no_block_larger_than_the_larger_end) {
  std::mt19937 random(57);
  for (int i = 0; i < 500; ++i) {
    PlanRequest asked = random_request(random);
    asked.options.cap = 1;
    const ReshardPlan found = plan(asked);
    const std::size_t from = padded_local_type(asked.whole, asked.from).bytes();
    const std::size_t to = padded_local_type(asked.whole, asked.to).bytes();
    ASSERT_EQ(found.peak_block_bytes, static_cast<std::int64_t>(std::max(from, to))) << to_string(found);
  }
}

TEST(between_meshes, every_thread_finds_the_same_plan) {
  std::mt19937 random(11);
  std::vector<PlanRequest> asked;
  for (int i = 0; i < 60; ++i) asked.push_back(random_request(random));
  auto texts = [&] {
    std::vector<std::string> all;
    for (const PlanRequest& one : asked) all.push_back(to_string(plan(one)));
    return all;
  };
  const std::vector<std::string> expected = texts();
  std::vector<std::string> found[2];
  std::vector<std::thread> threads;
  for (std::vector<std::string>& mine : found) threads.emplace_back([&] { mine = texts(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found[0], expected);
  EXPECT_EQ(found[1], expected);
}

TEST(between_meshes, a_sharding_that_stays_has_no_steps) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    PlanRequest asked = random_request(random);
    asked.to = asked.from;
    ASSERT_TRUE(plan(asked).steps.empty()) << to_string(plan(asked));
    if (!asked.from.unreduced.empty()) continue;
    // The same devices in the same order, under other names.
    std::vector<std::pair<std::string, int>> axes;
    Devices devices;
    for (const Axis& axis : asked.from.mesh.axes())
      axes.emplace_back(std::string(axis.name) + "_", axis.size);
    for (int position = 0; position < asked.from.mesh.devices(); ++position)
      devices.push_back(asked.from.mesh.device_id(position));
    asked.to.mesh = Mesh(axes, {.devices = devices});
    for (Axes& dim : asked.to.dims)
      for (Axis& axis : dim)
        axis = asked.to.mesh.axes()[static_cast<std::size_t>(axis.id - asked.from.mesh.axes()[0].id)];
    ASSERT_TRUE(plan(asked).steps.empty()) << to_string(plan(asked));
  }
}

TEST(between_meshes, plans_of_other_devices_are_kept_apart) {
  const Mesh here({}, MeshOptions{.devices = {1}}), there({}, MeshOptions{.devices = {2}});
  const Type type(DType::f32, {4});
  EXPECT_TRUE(shared_plan({type, unsharded(here, 1), unsharded(here, 1)})->steps.empty());
  EXPECT_EQ(shared_plan({type, unsharded(here, 1), unsharded(there, 1)})->steps.size(), 1U);
}

TEST(between_meshes, planted_pair_that_is_missing_is_found) {
  ReshardPlan found = plan(request(whole, {"x4", four, "[x]"}, {"x4", {3, 2, 1, 0}, "[x]"}));
  found.steps[0].groups.pop_back();
  EXPECT_EQ(wrong_boxes(found), "move: nobody sends device 0 what it lacks");
}

}  // namespace
}  // namespace tutti
