// SPDX-License-Identifier: Apache-2.0
// Laws of vmap. Over an axis of the mesh: the lanes of the batched program hold what the devices along that
// axis hold, for every op, also where it communicates over that axis. Over an axis of its own: each lane
// holds what the program computes for that lane alone. All numbers are quarters, so that sums in another
// order are the same: bit for bit.
#include <algorithm>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/laws/transforms.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/wrapped/composite.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/transform/batch.hpp"

namespace tutti {
namespace {

bool is_batched(const Example& example) { return example.op->refusal(Rule::batch).empty(); }

// --- Lanes are devices -------------------------------------------------------------------------------------

// The example with operands that vary over `axis`, or are terms of a sum over it, only because they are cast,
// those marked: batching leaves them alone.
struct WithCasts {
  Program program;
  std::vector<ExampleOperand> operands;
};
WithCasts with_casts(const Example& example, const Axis& axis, const Bits& marked) {
  WithCasts made{{}, example.operands};
  Builder builder;
  Arrays operands;
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    Type& type = made.operands[i].type;
    const State state = type.at(axis);
    bool cast = marked[i] && is_stored_per_device(state) && !made.operands[i].is_given_along(axis);
    if (cast) type = type.with(axis, State::invariant);
    Array operand = builder.input(type);
    if (cast) operand = cast_to(operand, {axis}, State::varying);
    if (cast && state == State::unreduced) operand = cast_to(operand, {axis}, State::unreduced);
    operands.push_back(operand);
  }
  made.program = builder.finish(finished(example.op, operands, builder.add(example.op, operands)));
  return made;
}

void same_on_lanes_and_devices(const Example& example, const Axis& axis, const Bits& marked,
                               Findings& findings) {
  Random random(4);
  auto [program, operands] = with_casts(example, axis, marked);
  std::vector<PerDevice> x = random_values(random, operands, Numbers::quarters);
  Types results = program.types_of(program.outputs);
  std::vector<PerDevice> devices = batched_values(results, axis, evaluate(program, example_mesh(), x));
  Program removed = batch(program, axis);
  std::vector<PerDevice> inputs = batched_values(program.types_of(program.inputs), axis, x);
  findings.expect(evaluate(removed, example_mesh(), inputs) == devices, [&] {
    return described(example) + " over " + std::string(axis.name) + ": lanes differ from devices\n" +
           to_string(program) + to_string(removed);
  });
}

void lanes_are_devices(const Example& example, Findings& findings) {
  if (!is_batched(example)) return;
  for (const Axis& axis : batchable_axes(example)) {
    Bits varies;
    for (const ExampleOperand& operand : example.operands)
      varies.push_back(is_stored_per_device(operand.type.at(axis)));
    same_on_lanes_and_devices(example, axis, Bits(varies.size()), findings);
    if (std::ranges::count(varies, true) == 0) continue;
    same_on_lanes_and_devices(example, axis, varies, findings);
    if (std::ranges::count(varies, true) == 1) continue;
    for (std::size_t i = 0; i < varies.size(); ++i) {
      Bits alone(varies.size());
      alone[i] = varies[i];
      if (varies[i]) same_on_lanes_and_devices(example, axis, alone, findings);
    }
  }
}

// --- Lanes are calls ---------------------------------------------------------------------------------------

constexpr int lanes = 3;  // another size than the mesh has
const Axis lane_axis = fresh_axis("lane", lanes);

// The example with the marked operands varying over the lanes, the others the same in all.
Program over_lanes(const Example& example, const Bits& marked, const Axis& axis = lane_axis) {
  Builder builder;
  Arrays operands;
  for (std::size_t i = 0; i < example.operands.size(); ++i) {
    Type type = example.operands[i].type;
    operands.push_back(builder.input(marked[i] ? type.with(axis, State::varying) : type));
  }
  return builder.finish(finished(example.op, operands, tutti::apply(example.op, operands)));
}

std::vector<PerDevice> stacked_per_value(const std::vector<std::vector<PerDevice>>& calls,
                                         const Bits& have_lanes) {
  std::vector<PerDevice> all = calls[0];
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t device = 0; device < all[i].size() && have_lanes[i]; ++device) {
      std::vector<Tensor> of_lanes;
      for (const std::vector<PerDevice>& call : calls) of_lanes.push_back(call[i][device]);
      all[i][device] = stacked(of_lanes);
    }
  return all;
}

void same_as_calls(const Example& example, const Bits& marked, Findings& findings) {
  Random random(5);
  Program one = program_of(example), all = over_lanes(example, marked);
  std::vector<std::vector<PerDevice>> inputs, outputs;
  for (int lane = 0; lane < lanes; ++lane) {
    inputs.push_back(random_values(random, example.operands, Numbers::quarters));
    for (std::size_t i = 0; i < marked.size(); ++i)
      if (!marked[i]) inputs.back()[i] = inputs[0][i];
    outputs.push_back(evaluate(one, example_mesh(), inputs.back()));
  }
  Bits have_lanes;
  for (Var var : all.outputs) have_lanes.push_back(tutti::has_lanes(all.type(var), lane_axis));
  Program removed = batch(all, lane_axis);
  findings.expect(evaluate(removed, example_mesh(), stacked_per_value(inputs, marked)) ==
                      stacked_per_value(outputs, have_lanes),
                  [&] {
                    return described(example) + ": a lane differs from a call\n" + to_string(all) +
                           to_string(removed);
                  });
}

// f(example, marked operands) for all choices of operands with lanes.
using MarkedLaw = std::function<void(const Example&, const Bits&, Findings&)>;
void for_all_marks(const Example& example, const MarkedLaw& law, Findings& findings) {
  // Sub-programs say of what types the operands are.
  const auto* start = example.op.as<Start>();
  const bool has_program = !example.op->programs().empty() || (start && start->op.as<Composite>());
  if (!is_batched(example) || has_program) return;
  for (unsigned set = 0; set < 1U << example.operands.size(); ++set) {
    Bits marked;
    for (std::size_t i = 0; i < example.operands.size(); ++i) marked.push_back((set >> i & 1) != 0);
    law(example, marked, findings);
  }
}

void lanes_are_calls(const Example& example, Findings& findings) {
  for_all_marks(example, same_as_calls, findings);
}

// --- No lanes ----------------------------------------------------------------------------------------------

// Results with lanes are empty and of the shape of a call's behind them; the others are a call's.
void empty_or_as_a_call(const Example& example, const Bits& marked, Findings& findings) {
  static const Axis none = fresh_axis("none", 0);
  Random random(6);
  std::vector<PerDevice> inputs = random_values(random, example.operands, Numbers::quarters);
  std::vector<PerDevice> expected = evaluate(program_of(example), example_mesh(), inputs);
  auto empty = [](PerDevice& value) {
    for (Tensor& x : value) x = Tensor(x.shape().inserted(Dim{0}, 0), x.dtype());
  };
  Program all = over_lanes(example, marked, none);
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i]) empty(inputs[i]);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (tutti::has_lanes(all.type(all.outputs[i]), none)) empty(expected[i]);
  Program removed = batch(all, none);
  findings.expect(evaluate(removed, example_mesh(), inputs) == expected, [&] {
    return described(example) + ": no lanes are not empty\n" + to_string(all) + to_string(removed);
  });
}

void no_lanes_are_no_calls(const Example& example, Findings& findings) {
  for_all_marks(example, empty_or_as_a_call, findings);
}

class batch_law : public EveryOp {};
TEST_P(batch_law, lanes_are_devices) { expect_holds(lanes_are_devices); }
TEST_P(batch_law, lanes_are_calls) { expect_holds(lanes_are_calls); }
TEST_P(batch_law, no_lanes_are_no_calls) { expect_holds(no_lanes_are_no_calls); }
INSTANTIATE_TEST_SUITE_P(every_op, batch_law, every_op(), op_name);

TEST(lanes_are_devices, catches_a_sum_that_forgets_its_lanes) {
  EXPECT_FALSE(holds(lanes_are_devices, planted::SumOfOneLane::examples()));
}
TEST(lanes_are_devices, catches_an_index_that_counts_backwards) {
  EXPECT_FALSE(holds(lanes_are_devices, planted::IndexBackwards::examples()));
}
TEST(lanes_are_devices, catches_a_branch_that_is_not_the_one_chosen) {
  EXPECT_FALSE(holds(lanes_are_devices, planted::SwitchToNextBranch::examples()));
}
TEST(no_lanes_are_no_calls, catches_a_reduction_that_ignores_the_batch_dim) {
  EXPECT_FALSE(holds(no_lanes_are_no_calls, planted::ReduceWithoutShift::examples()));
}
TEST(lanes_are_calls, catches_a_reduction_that_ignores_the_batch_dim) {
  EXPECT_FALSE(holds(lanes_are_calls, planted::ReduceWithoutShift::examples()));
}

}  // namespace
}  // namespace tutti
