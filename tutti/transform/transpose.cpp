// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/transpose.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/linear_part.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

using Cotangents = PerVar<std::optional<Array>>;

Array or_zeros(const std::optional<Array>& cotangent, Type of) {
  return cotangent ? *cotangent : zeros_of(dual(of));
}

}  // namespace

Program transpose(const Program& program, const Bits& linear_inputs) {
  Builder builder;
  PerVar<Array> known(program);
  PerVar<bool> linear(program);
  Cotangents cotangents(program);
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    Var var = program.inputs[i];
    if (linear_inputs[i]) linear[var] = true;
    else known[var] = builder.input(program.type(var));
  }
  std::vector<LinearEquation> equations = walk_linear_part(program, linear, known);
  for (Var var : program.outputs) {
    Array cotangent = builder.input(dual(program.type(var)));
    if (linear[var]) cotangents[var] = sum_of(cotangents[var], cotangent);
  }
  transpose_linear_part(program, equations, cotangents);
  Arrays outputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (!linear_inputs[i]) continue;
    // A zero that is linear, or what is transposed again would be the sum of something known and something
    // linear.
    const std::optional<Array>& cotangent = cotangents[program.inputs[i]];
    outputs.push_back(cotangent ? *cotangent : zero_tangent(dual(program.type(program.inputs[i]))));
  }
  return without_dead_code(builder.finish(outputs));
}

Program vjp(const Program& original, const Bits& by, std::size_t auxiliary) {
  // One cast per value, and of the small value: each is an all_reduce in the gradient.
  Program program = without_common_subexpressions(with_early_casts(original));
  JvpProgram derived = jvp(program, by, {}, auxiliary);
  const Program& both = derived.program;
  std::size_t inputs = program.inputs.size(), outputs = program.outputs.size();
  Builder builder;
  PerVar<Array> known(both);
  PerVar<bool> linear(both);
  Cotangents cotangents(both);
  for (std::size_t i = 0; i < both.inputs.size(); ++i) {
    if (i < inputs) known[both.inputs[i]] = builder.input(both.type(both.inputs[i]));
    else linear[both.inputs[i]] = true;
  }
  std::vector<LinearEquation> equations = walk_linear_part(both, linear, known);
  for (std::size_t i = 0, next = outputs; i + auxiliary < outputs; ++i) {
    Type type = program.type(program.outputs[i]);
    if (!tangent(type)) continue;
    Array cotangent = builder.input(dual(type));
    if (!derived.nonzero[i]) continue;
    Var var = both.outputs[next++];
    if (linear[var]) cotangents[var] = sum_of(cotangents[var], cotangent);
  }
  transpose_linear_part(both, equations, cotangents);
  Arrays results;
  for (std::size_t i = 0; i < outputs; ++i) results.push_back(known[both.outputs[i]]);
  for (std::size_t i = 0, next = inputs; i < inputs; ++i) {
    if (!by[i]) continue;
    ensure(tangent(program.type(program.inputs[i])).has_value(), "input {} is {}, which has no cotangent", i,
           to_string(program.type(program.inputs[i])));
    Var var = both.inputs[next++];
    results.push_back(or_zeros(cotangents[var], both.type(var)));
  }
  return without_dead_code(builder.finish(results));
}

}  // namespace tutti
