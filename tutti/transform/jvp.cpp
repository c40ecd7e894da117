// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/jvp.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

using Tangent = std::optional<Array>;

void check_tangents(const Equation& equation, const Jvp& result) {
  std::size_t n = equation.results.size();
  ensure(result.results.size() == n && result.tangents.size() == n, "jvp of {} gives {} and {} for {}",
         equation.op->name(), counted(std::ssize(result.results), "result"),
         counted(std::ssize(result.tangents), "tangent"), n);
  for (std::size_t i = 0; i < result.results.size(); ++i)
    if (result.tangents[i])
      ensure(result.tangents[i]->type() == tangent(result.results[i].type()),
             "jvp of {}: tangent {} for a result {}", equation.op->name(), result.tangents[i]->type(),
             result.results[i].type());
}

Jvp jvp_of(const Equation& equation, const Arrays& operands, const Tangents& tangents) {
  // A zero of an earlier derivative is a value to this one; as a tangent it would draw what uses it into the
  // linear half.
  if (const ZeroTangent* zero = equation.op.as<ZeroTangent>())
    return {{replay(equation, [&] { return zeros_of(zero->type); })}, {std::nullopt}};
  if (std::ranges::none_of(tangents, &Tangent::has_value))
    return {repeat(equation, operands), Tangents(equation.results.size())};
  Jvp result = replay(equation, [&] { return equation.op->jvp(operands, tangents); });
  check_tangents(equation, result);
  return result;
}

/// Equations that only the last `auxiliary` outputs need: they take their operands without tangents.
Bits held_equations(const Program& program, std::size_t auxiliary) {
  Bits held(program.equations.size());
  if (auxiliary == 0) return held;
  PerVar<bool> needed(program);
  for (std::size_t i = 0; i + auxiliary < program.outputs.size(); ++i) needed[program.outputs[i]] = true;
  for (std::size_t e = program.equations.size(); e-- > 0;) {
    const Equation& equation = program.equations[e];
    held[e] = std::ranges::none_of(equation.results, [&](Var var) { return needed[var]; });
    if (!held[e])
      for (Var var : equation.operands) needed[var] = true;
  }
  return held;
}

}  // namespace

JvpProgram jvp(const Program& program, const Bits& nonzero, const Bits& instantiate, std::size_t auxiliary) {
  const Bits held = held_equations(program, auxiliary);
  Builder builder;
  PerVar<Array> values(program);
  PerVar<Tangent> tangents(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    Var var = program.inputs[i];
    if (nonzero[i] && tangent(program.type(var))) tangents[var] = builder.input(program.type(var));
  }
  for (std::size_t e = 0; e < program.equations.size(); ++e) {
    const Equation& equation = program.equations[e];
    Tangents moved = held[e] ? Tangents(equation.operands.size()) : tangents.of(equation.operands);
    Jvp result = jvp_of(equation, values.of(equation.operands), moved);
    for (std::size_t i = 0; i < equation.results.size(); ++i) {
      values[equation.results[i]] = result.results[i];
      tangents[equation.results[i]] = result.tangents[i];
    }
  }
  JvpProgram derived;
  Arrays outputs = values.of(program.outputs);
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    Var var = program.outputs[i];
    if (i + auxiliary >= program.outputs.size()) {
      derived.nonzero.push_back(false);
      continue;
    }
    bool wanted = !instantiate.empty() && instantiate[i] && tangent(program.type(var));
    if (!tangents[var] && wanted) tangents[var] = zero_tangent(program.type(var));
    derived.nonzero.push_back(tangents[var].has_value());
    if (tangents[var]) outputs.push_back(*tangents[var]);
  }
  derived.program = without_dead_code(builder.finish(outputs));
  return derived;
}

}  // namespace tutti
