// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/linear_part.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

using Cotangent = std::optional<Array>;

// The place of a linear equation as `replay` wants it.
Equation placed(const LinearEquation& equation) { return {equation.op, {}, {}, equation.where}; }

LinearEquation linear_equation(const Equation& equation, PerVar<bool>& linear, PerVar<Array>& known) {
  LinearEquation result{equation.op, {}, equation.results, equation.where};
  for (Var var : equation.operands) {
    if (linear[var]) result.operands.push_back({std::nullopt, var});
    else result.operands.push_back({known[var], -1});
  }
  return result;
}

// The linear half of an op with sub-programs; results that are known go to `known`.
std::optional<LinearEquation> split_equation(const Equation& equation, const Program& program,
                                             PerVar<bool>& linear, PerVar<Array>& known) {
  LinearOperands operands;
  for (Var var : equation.operands)
    operands.push_back({linear[var] ? std::nullopt : std::optional(known[var]), program.type(var)});
  OpSplit halves = replay(equation, [&] { return equation.op->split(operands); });
  std::vector<Var> linear_results;
  for (std::size_t i = 0; i < equation.results.size(); ++i) {
    Var var = equation.results[i];
    if (halves.known[i]) known[var] = *halves.known[i];
    else linear_results.push_back(var);
  }
  for (Var var : linear_results) linear[var] = true;
  if (!halves.linear) return std::nullopt;
  LinearEquation rest{*halves.linear, {}, std::move(linear_results), equation.where};
  for (const OpSplit::Operand& operand : halves.operands)
    rest.operands.push_back({operand.known, operand.known ? -1 : equation.operands[operand.number]});
  return rest;
}

void check_cotangents(const Program& program, const LinearEquation& equation, const Tangents& cotangents) {
  ensure(cotangents.size() == equation.operands.size(), "transpose of {} gives {} for {}",
         equation.op->name(), counted(std::ssize(cotangents), "cotangent"),
         counted(std::ssize(equation.operands), "operand"));
  for (std::size_t i = 0; i < cotangents.size(); ++i) {
    Var var = equation.operands[i].var;
    if (var < 0 || !cotangents[i]) continue;
    ensure(cotangents[i]->type() == dual(program.type(var)),
           "transpose of {}: cotangent {} for an operand {}", equation.op->name(), cotangents[i]->type(),
           program.type(var));
  }
}

LinearOperands as_rule_operands(const Program& program, const LinearEquation& equation) {
  LinearOperands operands;
  for (const LinearEquation::Operand& operand : equation.operands)
    operands.push_back({operand.known, operand.known ? operand.known->type() : program.type(operand.var)});
  return operands;
}

}  // namespace

std::vector<LinearEquation> walk_linear_part(const Program& program, PerVar<bool>& linear,
                                             PerVar<Array>& known) {
  std::vector<LinearEquation> rest;
  for (const Equation& equation : program.equations) {
    // A zero that stands for a tangent is linear, although nothing linear went into it.
    bool is_linear = equation.op.as<ZeroTangent>() != nullptr ||
                     std::ranges::any_of(equation.operands, [&](Var var) { return linear[var]; });
    if (is_linear && !equation.op->programs().empty()) {
      if (auto half = split_equation(equation, program, linear, known)) rest.push_back(std::move(*half));
    } else if (is_linear) {
      rest.push_back(linear_equation(equation, linear, known));
      for (Var var : equation.results) linear[var] = true;
    } else {
      Arrays results = repeat(equation, known.of(equation.operands));
      for (std::size_t i = 0; i < results.size(); ++i) known[equation.results[i]] = results[i];
    }
  }
  return rest;
}

void transpose_linear_part(const Program& program, const std::vector<LinearEquation>& equations,
                           PerVar<Cotangent>& cotangents) {
  for (auto it = equations.rbegin(); it != equations.rend(); ++it) {
    Tangents of_results = cotangents.of(it->results);
    if (std::ranges::none_of(of_results, &Cotangent::has_value)) continue;
    if (it->operands.empty()) continue;
    replay(placed(*it), [&] {
      Tangents of_operands = it->op->transpose(as_rule_operands(program, *it), of_results);
      check_cotangents(program, *it, of_operands);
      for (std::size_t i = 0; i < of_operands.size(); ++i)
        if (Var var = it->operands[i].var; var >= 0)
          cotangents[var] = sum_of(cotangents[var], of_operands[i]);
    });
  }
}

}  // namespace tutti
