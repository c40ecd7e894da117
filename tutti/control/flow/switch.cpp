// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/flow/switch.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {

Parameters Switch::parameters() const { return {{"branches", std::to_string(branches.size())}}; }

bool Switch::operator==(const Switch& other) const { return same_programs(branches, other.branches); }

Axes Switch::communicates() const { return communicated_axes(branches); }

Traffic Switch::traffic(const Types&) const {
  Traffic most;
  for (const SubProgram& branch : branches) most = larger(most, traffic_of(*branch));
  return most;
}

std::vector<AxisStates> Switch::wants(const Types& operands) const {
  std::vector<AxisStates> states{operands[0].states()};
  for (Var var : branches[0]->inputs) states.push_back(branches[0]->type(var).states());
  return states;
}

Types Switch::infer(const Types& operands) const {
  require(!branches.empty(), Code::argument, "there is no branch; give one at least");
  require(operands[0].with(AxisStates{}) == Type(DType::i32, {}), Code::dtype,
          "the index is {}, expected an i32 scalar", operands[0]);
  require_decidable("the index", operands[0], branches);
  Axes varies = varying_axes(operands[0]);
  Types results = branches[0]->types_of(branches[0]->outputs);
  for (const SubProgram& branch : branches) {
    ensure(branch->inputs.size() + 1 == operands.size() && branch->outputs.size() == results.size(),
           "branches that differ in their operands or results");
    for (std::size_t i = 1; i < operands.size(); ++i) {
      std::string what = fmt::format("operand {}", i);
      require_type(what, operands[i], branch->type(branch->inputs[i - 1]));
      require_enters(what, operands[i], varies);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string what = fmt::format("result {}", i);
      require_type(what, branch->type(branch->outputs[i]), results[i]);
      require_type(what, results[i], results[i].with(varies, State::varying));
    }
  }
  return results;
}

Kernel Switch::kernel(const Layout&) const { return kernel::Sub{kernel::Sub::Control::choose, branches}; }

// A result has a tangent if it has one in any branch.
Jvp Switch::jvp(const Arrays& operands, const Tangents& tangents) const {
  Bits nonzero = marked(tangents), of_branches(nonzero.begin() + 1, nonzero.end());
  Bits wanted(branches[0]->outputs.size());
  for (const SubProgram& branch : branches) {
    Bits found = tutti::jvp(*branch, of_branches).nonzero;
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = wanted[i] || found[i];
  }
  Switch derived;
  for (const SubProgram& branch : branches)
    derived.branches.push_back(shared(tutti::jvp(*branch, of_branches, wanted).program));
  Arrays results = tutti::apply(derived, with_tangents(operands, tangents, nonzero));
  return without_groups(results, by_groups({wanted.size()}, wanted), wanted);
}

Tangents Switch::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Bits linear = linear_ones(operands), of_branches(linear.begin() + 1, linear.end());
  require(!linear[0], Code::refused_rule, "transpose is refused: a branch is not chosen linearly");
  Arrays given;
  for (const LinearOperand& operand : operands)
    if (!operand.linear()) given.push_back(*operand.known);
  for (std::size_t i = 0; i < cotangents.size(); ++i)
    given.push_back(cotangents[i] ? *cotangents[i]
                                  : zero_tangent(dual(branches[0]->type(branches[0]->outputs[i]))));
  Switch backward;
  for (const SubProgram& branch : branches)
    backward.branches.push_back(shared(tutti::transpose(*branch, of_branches)));
  Arrays found = tutti::apply(backward, given);
  Tangents result;
  std::size_t next = 0;
  for (bool is_linear : linear) result.push_back(is_linear ? std::optional(found[next++]) : std::nullopt);
  return result;
}

// --- Batch -------------------------------------------------------------------------------------------------

namespace {

// The lanes of `x` in which the predicate holds, the others as they are in `otherwise`.
Array select_lanes(const Array& lanes, const Array& x, const Array& otherwise) {
  Dims dims;
  for (int i = 1; i < x.rank(); ++i) dims.push_back(Dim{i});
  return select(insert_dims(lanes, dims, x.shape()), x, otherwise);
}

// Every branch on all lanes; each lane takes the results of its own.
Arrays all_branches(const Switch& op, const Axis& axis, const BatchedArrays& operands) {
  require_no_effects(
      "lanes take different branches, so every lane computes all branches; move it out of the branch",
      op.branches);
  Array index = operands[0].array;
  Arrays results;
  for (std::size_t b = 0; b < op.branches.size(); ++b) {
    auto number = static_cast<std::int32_t>(b), last = static_cast<std::int32_t>(op.branches.size()) - 1;
    // The values of the other lanes are not used here. But an infinite derivative times their zero cotangent
    // would be NaN, so their operands get stop_gradient.
    Array here = number == 0 ? index <= 0 : number == last ? index >= number : equal(index, number);
    BatchedArrays own(operands.begin() + 1, operands.end());
    for (Batched& x : own)
      if (is_inexact(x.array.dtype()) && op.branches.size() > 1)
        x = {select_lanes(here, materialised(x, axis), stop_gradient(materialised(x, axis))), true};
    Arrays found = inline_batched(*op.branches[b], axis, own);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (b == 0) results.push_back(found[i]);
      else results[i] = select_lanes(index >= number, found[i], results[i]);
  }
  return results;
}

}  // namespace

BatchedArrays Switch::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  Types types = branches[0]->types_of(branches[0]->inputs);
  Arrays results;
  if (operands[0].batched) {
    results = all_branches(*this, axis, operands);
  } else {
    Switch one;
    for (const SubProgram& branch : branches) one.branches.push_back(shared(tutti::batch(*branch, axis)));
    Arrays given{operands[0].array};
    for (std::size_t i = 1; i < operands.size(); ++i)
      given.push_back(has_lanes(types[i - 1], axis) ? materialised(operands[i], axis) : operands[i].array);
    results = tutti::apply(one, given);
  }
  BatchedArrays batched;
  for (std::size_t i = 0; i < results.size(); ++i)
    batched.push_back({results[i], has_lanes(branches[0]->type(branches[0]->outputs[i]), axis)});
  return batched;
}

// --- Lowering, examples ------------------------------------------------------------------------------------

Lowered Switch::lower(Emitter& emitter, const Lowered& operands) const {
  Lowered own(operands.begin() + 1, operands.end());
  Types results = emitter.result_types();
  std::vector<Emitter::Region> regions;
  for (const SubProgram& branch : branches)
    regions.push_back({{}, [&](const Lowered&) { return emitter.lower(*branch, own); }});
  // StableHLO takes the last branch for an index that is out of range, also for a negative one.
  auto number = [&](std::size_t value) {
    return emitter.constant(Tensor::scalar(static_cast<std::int32_t>(value)));
  };
  stablehlo::Value index =
      emitter.emit("stablehlo.clamp", {number(0), operands[0], number(branches.size() - 1)},
                   Type(DType::i32, {}));
  return emitter.emit_with_regions("stablehlo.case", {index}, results, regions);
}

namespace {

SubProgram branch_of(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  return shared(trace(types, function).program);
}

}  // namespace

std::vector<Example> Switch::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  Type scalar(DType::i32, {}), x(DType::f64, {3});
  ExampleOperand index(scalar, -1, 3), over_b(scalar.with(b, varying), -1, 3);
  auto linear = [](Type type) {
    auto one = [](const Arrays& v) -> Arrays { return {v[0] + v[1], v[0]}; };
    auto two = [](const Arrays& v) -> Arrays { return {v[0] - v[1] * 2.0, -v[1]}; };
    auto three = [](const Arrays& v) -> Arrays { return {v[1] * 0.5, v[1] - v[0]}; };
    Types types{type, type};
    return Switch{{branch_of(types, one), branch_of(types, two), branch_of(types, three)}};
  };
  auto communicating = [&](Type type) {
    auto sum = [&](const Arrays& v) -> Arrays { return {all_reduce(v[0], {a})}; };
    auto scaled = [&](const Arrays& v) -> Arrays { return {all_reduce(v[0] * 4.0, {a})}; };
    return Switch{{branch_of({type}, sum), branch_of({type}, scaled)}};
  };
  auto curved = [](Type type) {
    auto product = [](const Arrays& v) -> Arrays { return {v[0] * v[1], v[2] + 1}; };
    auto wave = [](const Arrays& v) -> Arrays { return {tanh(v[1] * 0.5) - v[0], v[2] * 2}; };
    Types types{type, type, type.with(DType::i32)};
    return Switch{{branch_of(types, product), branch_of(types, wave)}};
  };
  std::vector<Example> examples;
  for (Type type : {x, x.with(a, varying), x.with(a, unreduced), x.with(a, reduced)})
    examples.push_back({linear(type), {index, type, type}});
  for (Type type : {x.with(a, varying), x.with(a, unreduced)}) {
    examples.push_back({communicating(type), {index, type}});
    examples.push_back({communicating(type.with(b, varying)), {over_b, type.with(b, varying)}});
  }
  for (Type type : {x.with(b, varying), x.with(a, varying).with(b, varying)})
    examples.push_back({curved(type), {over_b, type, type, type.with(DType::i32)}});
  return examples;
}

}  // namespace tutti
