// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/parts/sub_programs.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

/// The first equation that communicates over `axis`, at any depth.
const Equation* communicating(const std::vector<SubProgram>& programs, const Axis& axis) {
  for (const SubProgram& program : programs)
    for (const Equation& equation : program->equations) {
      if (const Equation* inner = communicating(equation.op->programs(), axis)) return inner;
      if (contains(equation.op->communicates(), axis)) return &equation;
    }
  return nullptr;
}

}  // namespace

Axes communicated_axes(const std::vector<SubProgram>& programs) {
  Axes all;
  for (const SubProgram& program : programs)
    for (const Equation& equation : program->equations)
      for (const Axis& axis : equation.op->communicates())
        if (!contains(all, axis)) all.push_back(axis);
  std::ranges::sort(all);
  return all;
}

Axes varying_axes(Type type) {
  Axes axes;
  for (const auto& [axis, state] : type.states())
    if (is_stored_per_device(state)) axes.push_back(axis);
  return axes;
}

void require_decidable(std::string_view what, Type decider, const std::vector<SubProgram>& programs) {
  for (const auto& [axis, state] : decider.states()) {
    require(state != State::unreduced, Code::state, "{} is {} ({}). Reduce it first: psum(x, \"{}\")", what,
            in_words(decider, axis), decider, axis.name);
    const Equation* found = state == State::varying ? communicating(programs, axis) : nullptr;
    if (!found) continue;
    std::string place = found->where.known() ? " at " + to_string(found->where) : "";
    fail(Code::state,
         "{} is {} ({}), and {}{} communicates over it: devices that go another way would never come. Make "
         "it equal there, for example with pmax, or communicate outside",
         what, in_words(decider, axis), to_string(decider), found->op->name(), place);
  }
}

void require_no_effects(std::string_view why, const std::vector<SubProgram>& programs) {
  for (const SubProgram& program : programs)
    for (const Equation& equation : program->equations) {
      if (!equation.op->has_effect()) continue;
      require_no_effects(why, equation.op->programs());
      throw Error(Code::refused_rule, equation.where,
                  fmt::format("{}: batch is refused: {}", equation.op->name(), why));
    }
}

void require_type(std::string_view what, Type found, Type expected) {
  require(found.shape() == expected.shape(), Code::shape, "{} is {}, expected {}", what, found, expected);
  require(found.dtype() == expected.dtype(), Code::dtype, "{} is {}, expected {}", what, found, expected);
  require(found == expected, Code::state, "{} is {}, expected {}", what, found, expected);
}

void require_enters(std::string_view what, Type operand, const Axes& varies) {
  Type differs = operand.with(varies, State::varying);
  if (tangent(operand)) require_type(what, operand, differs);
  for (const Axis& axis : varies)
    if (operand.at(axis) == State::unreduced) require_type(what, operand, differs);
}

Bits depending_outputs(const Program& program, const Bits& inputs) {
  PerVar<bool> depends(program);
  for (std::size_t i = 0; i < inputs.size(); ++i) depends[program.inputs[i]] = inputs[i];
  for (const Equation& equation : program.equations)
    if (std::ranges::any_of(equation.operands, [&](Var var) { return depends[var]; }))
      for (Var var : equation.results) depends[var] = true;
  return depends.of(program.outputs);
}

Program with_outputs(Program program, const std::vector<std::size_t>& outputs) {
  program.outputs = permuted(program.outputs, outputs);
  return without_dead_code(std::move(program));
}

Program with_inputs(Program program, const std::vector<std::size_t>& inputs) {
  program.inputs = permuted(program.inputs, inputs);
  return program;
}

std::vector<std::size_t> by_groups(const std::vector<std::size_t>& ends, const Bits& nonzero) {
  std::vector<std::size_t> order;
  std::size_t begin = 0, next_tangent = nonzero.size();
  for (std::size_t end : ends) {
    for (std::size_t i = begin; i < end; ++i) order.push_back(i);
    for (std::size_t i = begin; i < end; ++i)
      if (nonzero[i]) order.push_back(next_tangent++);
    begin = end;
  }
  return order;
}

Arrays with_tangents(const Arrays& values, const Tangents& tangents, const Bits& nonzero) {
  Arrays all = values;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (nonzero[i]) all.push_back(tangents[i] ? *tangents[i] : zero_tangent(values[i].type()));
  return all;
}

Jvp without_groups(const Arrays& results, const std::vector<std::size_t>& order, const Bits& nonzero) {
  Arrays all(results.size());
  for (std::size_t i = 0; i < order.size(); ++i) all[order[i]] = results[i];
  Jvp jvp;
  std::size_t next_tangent = nonzero.size();
  for (std::size_t i = 0; i < nonzero.size(); ++i) {
    jvp.results.push_back(all[i]);
    jvp.tangents.push_back(nonzero[i] ? std::optional(all[next_tangent++]) : std::nullopt);
  }
  return jvp;
}

Bits marked(const Tangents& tangents) {
  Bits bits;
  for (const std::optional<Array>& tangent : tangents) bits.push_back(tangent.has_value());
  return bits;
}

Bits linear_ones(const LinearOperands& operands) {
  Bits bits;
  for (const LinearOperand& operand : operands) bits.push_back(operand.linear());
  return bits;
}

}  // namespace tutti
