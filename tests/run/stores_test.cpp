// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/functions/nn/nn.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/run/code/region_code.hpp"
#include "tutti/run/fuse/steps.hpp"
#include "tutti/run/plan/schedule.hpp"

namespace tutti {
namespace {

/// Whether the steps of a region, a permutation and an all_to_all of `bytes` in all stream.
std::vector<bool> streaming(std::int64_t bytes) {
  Mesh mesh({{"a", 4}});
  Program program = test_program(mesh, {{DType::f32, {bytes / 4}, {mesh.axes()}}},
                                 [](const Arrays& x) {
                                   Array y = x[0] * 0.5 + psum(x[0], "a");
                                   return Arrays{y, ppermute(x[0], "a", {{0, 1}, {1, 0}}),
                                                 all_to_all(x[0], "a", {.tiled = true})};
                                 },
                                 {{mesh.axes()}, {mesh.axes()}, {mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  std::vector<bool> found;
  for (const StepCost& cost : costs_of(graph, make_steps(graph, Fusion::on), Stores::by_size, test_caches))
    found.push_back(cost.is_large);
  return found;
}

TEST(stores, go_past_the_caches_where_these_are_too_small) {
  const auto last = static_cast<std::int64_t>(test_caches.last_bytes);
  EXPECT_EQ(streaming(last), std::vector<bool>(3, true));  // and as much again is written
  EXPECT_EQ(streaming(last / 2), std::vector<bool>(3, false));
  EXPECT_EQ(streaming(4096), std::vector<bool>(3, false));
}

std::vector<RegionInstruction> instructions(const Program& program, const Mesh& mesh, Stores stores) {
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  StepCosts costs = costs_of(graph, steps, stores, test_caches);
  std::vector<RegionInstruction> found;
  for (StepId n : steps.list.ids())
    std::ranges::copy(make_region_code(graph, steps, n, {}, {.is_large = costs[n].is_large}).code,
                      std::back_inserter(found));
  return found;
}

// A tile that is streamed from scratch takes a third longer.
TEST(stores, are_made_past_the_caches_by_the_instructions_themselves) {
  Mesh mesh({{"a", 4}});
  Program program = test_program(mesh, {{DType::f32, {4 * 1024}, {mesh.axes()}}},
                                 [](const Arrays& x) {
                                   return Arrays{x[0] * 0.5 + psum(x[0], "a") * 2.0, pmax(x[0], "a"),
                                                 x[0] - 1.0, exp(x[0])};
                                 },
                                 {{mesh.axes()}, {}, {mesh.axes()}, {mesh.axes()}});
  using I = RegionInstruction;
  int chains = 0, folds = 0, tiles = 0;
  for (const I& i : instructions(program, mesh, Stores::streamed)) {
    chains += i.as<I::Chain>() && i.as<I::Chain>()->store == Store::streaming;
    folds += i.as<I::Fold>() && i.as<I::Fold>()->store == Store::streaming;
    tiles += i.as<I::StreamTile>() != nullptr;
  }
  EXPECT_EQ(chains, 2);
  EXPECT_EQ(folds, 1);
  EXPECT_EQ(tiles, 1);  // exp
}

TEST(stores, past_the_caches_go_with_folds_that_fetch_ahead_what_lies_there) {
  Mesh mesh({{"a", 4}});
  const std::vector<TestInput> input{{DType::f32, {4 * 1024}, {mesh.axes()}}};
  auto loads = [&](const Program& program, Stores stores) {
    std::vector<Load> found;
    for (const RegionInstruction& i : instructions(program, mesh, stores))
      if (const auto* fold = i.as<RegionInstruction::Fold>()) found.push_back(fold->load);
    return found;
  };
  Program itself = test_program(mesh, input, [](const Arrays& x) { return Arrays{psum(x[0], "a")}; }, {{}});
  EXPECT_EQ(loads(itself, Stores::streamed), std::vector{Load::ahead});
  EXPECT_EQ(loads(itself, Stores::by_size), std::vector{Load::plain});
  auto of_a_tile = [](const Arrays& x) { return Arrays{psum(exp(x[0]), "a")}; };
  EXPECT_EQ(loads(test_program(mesh, input, of_a_tile, {{}}), Stores::streamed), std::vector{Load::plain});
  auto of_a_streamed_tile = [](const Arrays& x) {
    Array y = exp(x[0]);
    return Arrays{y, psum(y, "a")};
  };
  EXPECT_EQ(loads(test_program(mesh, input, of_a_streamed_tile, {{mesh.axes()}, {}}), Stores::streamed),
            std::vector{Load::plain});
}

bool streams(const WorkerStep& step) {
  const auto* region = dynamic_cast<const CodeOf<RegionCode>*>(step.code);
  return region && region->data.streams;
}

// Their lines are in the caches: streamed, links of 64 MiB take 1.15 times as long.
TEST(stores, stay_in_the_caches_where_an_operand_was) {
  Mesh mesh({{"a", 4}});
  auto link = [](const Array& x) { return x * 0.5 + psum(x, "a"); };
  Program program =
      test_program(mesh, {{DType::f32, {4 * 1024}, {mesh.axes()}}},
                   [&](const Arrays& x) { return Arrays{link(link(link(x[0])))}; }, {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  StepCosts costs = costs_of(graph, steps, Stores::streamed, test_caches);
  Placement placement = place(graph, steps, costs, 1, PlanChoice::by_axis);
  Schedule schedule = make_schedule(graph, steps, costs, placement, plan_arena(graph, steps, placement));
  std::vector<bool> found;
  for (const WorkerStep& step : schedule.lists[0][0]) found.push_back(streams(step));
  EXPECT_EQ(found, (std::vector{true, false, true}));  // argument -> arena -> the same -> result
}

TEST(stores, past_the_caches_go_with_chains_of_folds_that_fetch_ahead_and_stream) {
  Mesh mesh({{"a", 4}});
  Program program = test_program(mesh, {{DType::f32, {4 * 1024}, {mesh.axes()}}},
                                 [](const Arrays& x) { return Arrays{x[0] * 0.5 + psum(x[0], "a") * 0.25}; },
                                 {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  RegionCode code = make_region_code(graph, make_steps(graph, Fusion::on), StepId{0}, {}, {.is_large = true});
  ASSERT_EQ(code.whole.size(), 1u);
  ASSERT_TRUE(code.whole[0].as<RegionInstruction::FoldChain>());
  EXPECT_EQ(code.fold_chains[0].load, Load::ahead);
  EXPECT_EQ(code.fold_chains[0].store, Store::streaming);
}

/// The code of what each device of a 2 x 2 mesh makes of its `shape`, with units along all outer axes.
RegionCode code_of_rows(const Shape& shape, const std::function<Array(const Array&)>& body,
                        Stores stores = Stores::streamed) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  Shape whole{4 * shape[0], shape[1]};
  Program program = test_program(mesh, {{DType::f32, whole, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  std::vector<std::size_t> unit_axes;
  for (std::size_t axis : {0, 1})
    if (has(steps.list[StepId{0}].outer(), axis)) unit_axes.push_back(axis);
  return make_region_code(graph, steps, StepId{0}, unit_axes,
                          {.is_large = costs_of(graph, steps, stores, test_caches)[StepId{0}].is_large});
}

/// Checks that the fetches lead to the next tile of an operand, if there are any.
int fetches(const RegionCode& code, const RegionInstruction& reader, int operand) {
  const RefId ref = reader.in[operand];
  int found = 0;
  std::vector<int> parts;
  for (const RegionInstruction& i : code.whole) {
    const auto* fetch = i.as<RegionInstruction::Fetch>();
    if (!fetch) continue;
    EXPECT_EQ(fetch->part, found++);
    parts.push_back(fetch->parts);
    const RefId next = i.in[0];
    EXPECT_EQ(code.refs[next].base, code.refs[ref].base);
    EXPECT_EQ(code.refs[next].offset, code.refs[ref].offset + code.space.tile_rows * code.space.columns * 4);
    const std::size_t axes = code.unit_sizes.size();
    for (std::size_t a = 0; a < axes; ++a)
      EXPECT_EQ(code.unit_strides[static_cast<std::size_t>(next) * axes + a],
                code.unit_strides[static_cast<std::size_t>(ref) * axes + a]);
    EXPECT_EQ(i.positions, reader.positions);
    for (int p = 0; p < i.positions; ++p)
      EXPECT_EQ(code.offset(i, p, 1), code.offset(reader, p, 1 + operand));
  }
  EXPECT_EQ(parts, std::vector<int>(parts.size(), found));
  return found;
}

TEST(stores, past_the_caches_go_with_fetches_of_the_next_rows) {
  auto softmax_of = [](const Array& x) { return softmax(x); };
  RegionCode code = code_of_rows({512, 256}, softmax_of);
  EXPECT_TRUE(code.code[0].as<RegionInstruction::Rows>());
  EXPECT_EQ(2 * fetches(code, code.code[0], 0), std::ssize(code.whole));

  code = code_of_rows({512, 256}, [](const Array& x) { return softmax(1.0 - 0.5 * x); });
  EXPECT_TRUE(code.code[0].as<RegionInstruction::Chain>());  // to a tile, whose rows are folded
  EXPECT_EQ(2 * fetches(code, code.code[0], 1), std::ssize(code.whole));

  code = code_of_rows({512, 256}, [](const Array& x) {
    Array y = softmax(x);
    return y - psum(y, "b");
  });
  EXPECT_EQ(code.code[0].positions, 2);
  EXPECT_EQ(2 * fetches(code, code.code[0], 0), std::ssize(code.whole));

  const auto none = [](const RegionCode& of) { return fetches(of, of.code[0], 0) == 0; };
  EXPECT_TRUE(none(code_of_rows({512, 256}, softmax_of, Stores::by_size)));
  EXPECT_TRUE(none(code_of_rows({8, 256}, softmax_of))) << "two tiles";
  EXPECT_TRUE(none(code_of_rows({64, 32 * 1024}, softmax_of))) << "128 KiB";
  EXPECT_TRUE(none(code_of_rows({512, 256}, [](const Array& x) { return mean(x, 1); })))
      << "nothing but rows";
  EXPECT_TRUE(none(code_of_rows({512, 256}, [](const Array& x) { return exp(x) * x; }))) << "no rows";
  EXPECT_TRUE(none(code_of_rows({512, 256}, [](const Array& x) {
    return softmax(slice_in_dim(x, 0, 128, 1, 1));
  }))) << "not dense";
}

// The plans of large programs are those of all other tests, except the stores.
TEST(stores, past_the_caches_give_the_same_bits_for_odd_sizes) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  for (DType dtype : {DType::f32, DType::bf16, DType::i8, DType::complex64})
    expect_all_plans_compute(test_program(mesh, {{dtype, {4 * 1237}, {{mesh.axes()[0], mesh.axes()[1]}}}},
                                          [](const Arrays& x) {
                                            return Arrays{x[0] + psum(x[0], "b"),
                                                          ppermute(x[0], "a", {{0, 1}, {1, 0}})};
                                          },
                                          {{mesh.axes()}, {mesh.axes()}}),
                             mesh);
}

}  // namespace
}  // namespace tutti
