// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/switch.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/sub_programs.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/all_reduce.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {

Parameters Switch::parameters() const { return {{"branches", std::to_string(branches.size())}}; }

bool Switch::operator==(const Switch& other) const { return same_programs(branches, other.branches); }

Axes Switch::communicates() const { return communicated_axes(branches); }

std::vector<AxisStates> Switch::wants(const Types& operands) const {
  std::vector<AxisStates> states{operands[0].states()};
  for (Var var : branches[0]->inputs) states.push_back(branches[0]->type(var).states());
  return states;
}

Types Switch::infer(const Types& operands) const {
  require(!branches.empty(), Code::argument, "there is no branch; give one at least");
  require(operands[0].with(AxisStates{}) == Type(DType::i32, {}), Code::dtype,
          "the index is {}, expected an i32 scalar", to_string(operands[0]));
  require_decidable("the index", operands[0], branches);
  Axes varies = varying_axes(operands[0]);
  Types results = branches[0]->types_of(branches[0]->outputs);
  for (const SubProgram& branch : branches) {
    ensure(branch->inputs.size() + 1 == operands.size() && branch->outputs.size() == results.size(),
           "branches that differ in their operands or results");
    for (std::size_t i = 1; i < operands.size(); ++i) {
      std::string what = fmt::format("operand {}", i);
      require_type(what, operands[i], branch->type(branch->inputs[i - 1]));
      require_type(what, operands[i], operands[i].with(varies, State::varying));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string what = fmt::format("result {}", i);
      require_type(what, branch->type(branch->outputs[i]), results[i]);
      require_type(what, results[i], results[i].with(varies, State::varying));
    }
  }
  return results;
}

Kernel Switch::kernel(const Layout&) const { return Sub{Sub::How::choose, branches}; }

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

// --- Split -----------------------------------------------------------------------------------------------------

namespace {

/// A branch cut in two. Residuals that no operand goes into are computed again where they are used; those that are
/// operands are handed on; only the others leave the known half.
struct Halves {
  SplitProgram split;
  std::size_t known_results;
  enum class Way { again, operand, result };
  struct Residual {
    Way way;
    std::size_t number = 0;  // of the known operand, or of the result among those that leave
  };
  std::vector<Residual> residuals;
  std::vector<std::size_t> leaving;  // outputs of the known half
};

Halves halves_of(const Program& branch, const Bits& linear) {
  SplitProgram split = tutti::split(branch, linear);
  Halves halves{std::move(split), 0, {}, {}};
  const Program& known = halves.split.known;
  halves.known_results = static_cast<std::size_t>(std::ranges::count(halves.split.linear_outputs, false));
  Bits depends = depending_outputs(known, Bits(known.inputs.size(), true));
  for (std::size_t i = halves.known_results; i < known.outputs.size(); ++i) {
    auto operand = std::ranges::find(known.inputs, known.outputs[i]);
    if (!depends[i]) {
      halves.residuals.push_back({Halves::Way::again});
    } else if (operand != known.inputs.end()) {
      halves.residuals.push_back(
          {Halves::Way::operand, static_cast<std::size_t>(operand - known.inputs.begin())});
    } else {
      halves.residuals.push_back({Halves::Way::result, halves.leaving.size()});
      halves.leaving.push_back(i);
    }
  }
  return halves;
}

Types leaving_types(const Halves& halves) {
  Types types;
  for (std::size_t i : halves.leaving)
    types.push_back(halves.split.known.type(halves.split.known.outputs[i]));
  return types;
}

/// The known results, then the residuals of all branches: zeros but for its own.
Program known_branch(const std::vector<Halves>& all, std::size_t own, const Bits& linear_results) {
  const Halves& halves = all[own];
  return trace(halves.split.known.types_of(halves.split.known.inputs),
               [&](const Arrays& inputs) {
                 Arrays found = inline_program(halves.split.known, inputs), outputs;
                 for (std::size_t i = 0, next = 0; i < linear_results.size(); ++i) {
                   bool is_known = !halves.split.linear_outputs[i];
                   if (!linear_results[i]) outputs.push_back(found[next]);
                   next += is_known ? 1 : 0;
                 }
                 for (std::size_t b = 0; b < all.size(); ++b)
                   for (std::size_t k = 0; k < all[b].leaving.size(); ++k)
                     outputs.push_back(b == own ? found[halves.leaving[k]]
                                                : zeros_of(leaving_types(all[b])[k]));
                 return outputs;
               })
      .program;
}

/// (known operands, residuals of all branches, linear operands) -> the linear results.
Program linear_branch(const std::vector<Halves>& all, std::size_t own, const Types& inputs,
                      std::size_t known_operands, const Bits& linear_results, const Types& results) {
  const Halves& halves = all[own];
  std::size_t own_residuals = known_operands, linear = known_operands;
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (b < own) own_residuals += all[b].leaving.size();
    linear += all[b].leaving.size();
  }
  std::vector<std::size_t> again;
  for (std::size_t k = 0; k < halves.residuals.size(); ++k)
    if (halves.residuals[k].way == Halves::Way::again) again.push_back(halves.known_results + k);
  Program made_again = with_outputs(halves.split.known, again);
  made_again.inputs.clear();  // nothing of it depends on them
  return trace(inputs,
               [&](const Arrays& given) {
                 Arrays constants = inline_program(made_again, {}), operands, outputs;
                 std::size_t next_constant = 0;
                 for (const Halves::Residual& residual : halves.residuals) switch (residual.way) {
                     case Halves::Way::again: operands.push_back(constants[next_constant++]); break;
                     case Halves::Way::operand: operands.push_back(given[residual.number]); break;
                     case Halves::Way::result:
                       operands.push_back(given[own_residuals + residual.number]);
                       break;
                   }
                 for (std::size_t i = linear; i < given.size(); ++i) operands.push_back(given[i]);
                 Arrays found = inline_program(halves.split.linear, operands);
                 for (std::size_t i = 0, next = 0; i < linear_results.size(); ++i)
                   if (linear_results[i])
                     outputs.push_back(halves.split.linear_outputs[i] ? found[next++]
                                                                      : zero_tangent(results[i]));
                 return outputs;
               })
      .program;
}

}  // namespace

OpSplit Switch::split(const LinearOperands& operands) const {
  Bits linear = linear_ones(operands);
  require(!linear[0], Code::refused_rule, "transpose is refused: a branch is not chosen linearly");
  linear.erase(linear.begin());
  std::vector<Halves> all;
  Bits linear_results(branches[0]->outputs.size());
  for (const SubProgram& branch : branches) {
    all.push_back(halves_of(*branch, linear));
    for (std::size_t i = 0; i < linear_results.size(); ++i)
      linear_results[i] = linear_results[i] || all.back().split.linear_outputs[i];
  }
  // A result that is known in this branch and linear in another would be lost.
  for (const Halves& halves : all)
    for (std::size_t i = 0; i < linear_results.size(); ++i)
      require(!linear_results[i] || halves.split.linear_outputs[i], Code::refused_rule,
              "transpose is refused: result {} is linear in one branch and known in another", i);

  Arrays known{*operands[0].known};
  OpSplit result;
  result.operands.push_back({operands[0].known});
  Types types;
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (!linear[i - 1]) {
      known.push_back(*operands[i].known);
      result.operands.push_back({operands[i].known});
      types.push_back(operands[i].type);
    }
  std::size_t known_operands = types.size();
  Switch known_half, linear_half;
  for (std::size_t b = 0; b < all.size(); ++b)
    known_half.branches.push_back(shared(known_branch(all, b, linear_results)));
  Arrays found = tutti::apply(known_half, known);
  std::size_t next = 0;
  for (bool is_linear : linear_results)
    result.known.push_back(is_linear ? std::nullopt : std::optional(found[next++]));
  for (; next < found.size(); ++next) {
    result.operands.push_back({found[next]});
    types.push_back(found[next].type());
  }
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (linear[i - 1]) {
      result.operands.push_back({std::nullopt, i});
      types.push_back(operands[i].type);
    }
  if (std::ranges::count(linear_results, true) == 0) return result;
  Types results = branches[0]->types_of(branches[0]->outputs);
  for (std::size_t b = 0; b < all.size(); ++b)
    linear_half.branches.push_back(
        shared(linear_branch(all, b, types, known_operands, linear_results, results)));
  result.linear = linear_half;
  return result;
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

// --- Batch -----------------------------------------------------------------------------------------------------

namespace {

// The lanes of `x` in which the predicate holds, the others as they are in `otherwise`.
Array select_lanes(const Array& lanes, const Array& x, const Array& otherwise) {
  Dims dims;
  for (int i = 1; i < x.rank(); ++i) dims.push_back(Dim{i});
  return select(insert_dims(lanes, dims, x.shape()), x, otherwise);
}

// Every branch on all lanes; each lane takes the results of its own.
Arrays all_branches(const Switch& op, const Axis& axis, const BatchedArrays& operands) {
  Array index = operands[0].array;
  Arrays results;
  for (std::size_t b = 0; b < op.branches.size(); ++b) {
    auto number = static_cast<std::int32_t>(b), last = static_cast<std::int32_t>(op.branches.size()) - 1;
    // Of what the other lanes compute here nothing is used, but a derivative that is infinite there times zero would be:
    // the derivative by their operands is stopped.
    Array here = number == 0 ? index <= 0 : number == last ? index >= number : equal(index, number);
    BatchedArrays own(operands.begin() + 1, operands.end());
    for (Batched& x : own)
      if (is_float(x.array.dtype()) && op.branches.size() > 1)
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

// --- Lowering, examples ----------------------------------------------------------------------------------------

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
