// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/split.hpp"

#include <map>

#include "tutti/transform/linear_part.hpp"

namespace tutti {
namespace {

// The known half of a program, and its linear equations. Each known operand in them is a numbered residual.
struct KnownHalf {
  Program known;
  std::vector<LinearEquation> equations;
  std::map<Var, int> residual_of;  // variable of the known half -> number of the residual
  Types residual_types;
};

KnownHalf known_half(const Program& program, const Bits& linear_inputs, PerVar<bool>& linear) {
  KnownHalf halves;
  Builder builder;
  PerVar<Array> known(program);
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    Var var = program.inputs[i];
    if (linear_inputs[i]) linear[var] = true;
    else known[var] = builder.input(program.type(var));
  }
  halves.equations = walk_linear_part(program, linear, known);
  Arrays outputs;
  for (Var var : program.outputs)
    if (!linear[var]) outputs.push_back(known[var]);
  for (const LinearEquation& equation : halves.equations)
    for (const LinearEquation::Operand& operand : equation.operands) {
      if (!operand.known) continue;
      int next = static_cast<int>(halves.residual_types.size());
      if (!halves.residual_of.emplace(operand.known->traced()->var, next).second) continue;
      halves.residual_types.push_back(operand.known->type());
      outputs.push_back(*operand.known);
    }
  halves.known = builder.finish(outputs);
  return halves;
}

Program linear_half(const Program& program, const Bits& linear_inputs, PerVar<bool>& linear,
                    const KnownHalf& halves) {
  Builder builder;
  Arrays residuals;
  PerVar<Array> values(program);
  for (Type type : halves.residual_types) residuals.push_back(builder.input(type));
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    if (linear_inputs[i]) values[program.inputs[i]] = builder.input(program.type(program.inputs[i]));
  for (const LinearEquation& equation : halves.equations) {
    Arrays operands;
    for (const LinearEquation::Operand& operand : equation.operands)
      operands.push_back(
          operand.known
              ? residuals[static_cast<std::size_t>(halves.residual_of.at(operand.known->traced()->var))]
              : values[operand.var]);
    Arrays results = repeat({equation.op, {}, {}, equation.where}, operands);
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
  }
  Arrays outputs;
  for (Var var : program.outputs)
    if (linear[var]) outputs.push_back(values[var]);
  return builder.finish(outputs);
}

}  // namespace

SplitProgram split(const Program& program, const Bits& linear_inputs) {
  PerVar<bool> linear(program);
  KnownHalf halves = known_half(program, linear_inputs, linear);
  Program rest = linear_half(program, linear_inputs, linear, halves);
  return {std::move(halves.known), std::move(rest), linear.of(program.outputs)};
}

}  // namespace tutti
