// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/transpose.hpp"

#include "tutti/ops/linearity.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/linear_part.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

using Cotangents = PerVar<std::optional<Array>>;

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

}  // namespace tutti
