// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/vjp.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

/// Marks the last inputs of `program`, from number `first`.
Bits inputs_from(std::size_t first, const Program& program) {
  Bits marked(program.inputs.size());
  std::fill(marked.begin() + static_cast<std::ptrdiff_t>(first), marked.end(), true);
  return marked;
}

/// Takes the cotangents that are absent out of a pullback. Returns, per output that it had, if it was one.
Bits without_absent(Program& pullback) {
  PerVar<bool> absent(pullback);
  for (const Equation& equation : pullback.equations)
    if (equation.op.as<ZeroTangent>()) absent[equation.results[0]] = true;
  Bits found = absent.of(pullback.outputs);
  std::erase_if(pullback.outputs, [&](Var output) { return absent[output]; });
  pullback = without_dead_code(std::move(pullback));
  return found;
}

}  // namespace

LinearizedProgram linearize(const Program& original, const Bits& by, std::size_t auxiliary) {
  // One cast per value, and of the small value: each is an all_reduce in the gradient.
  const Program program = without_common_subexpressions(with_early_casts(original));
  const std::size_t outputs = program.outputs.size();
  const JvpProgram derived = jvp(program, by, {}, auxiliary);
  SplitProgram halves = split(derived.program, inputs_from(program.inputs.size(), derived.program));
  LinearizedProgram result{std::move(halves.known), std::move(halves.linear), Bits(outputs)};
  // A tangent that is a constant, of a rule of the user's own, is known: such an output does not move.
  std::size_t next = outputs, known_tangents = 0;
  for (std::size_t i = 0; i + auxiliary < outputs; ++i) {
    if (!derived.nonzero[i]) continue;
    result.active[i] = halves.linear_outputs[next++];
    known_tangents += result.active[i] ? 0U : 1U;
  }
  const auto first = result.known.outputs.begin() + static_cast<std::ptrdiff_t>(outputs);
  result.known.outputs.erase(first, first + static_cast<std::ptrdiff_t>(known_tangents));
  return result;
}

Program pullback_of(const LinearizedProgram& linearized) {
  const std::size_t residuals = linearized.known.outputs.size() - linearized.active.size();
  return transpose(linearized.linear, inputs_from(residuals, linearized.linear));
}

Program vjp(const Program& program, const Bits& by, std::size_t auxiliary) {
  const LinearizedProgram at = linearize(program, by, auxiliary);
  Program pullback = pullback_of(at);
  const Bits absent = without_absent(pullback);
  Builder builder;
  Arrays inputs;
  for (const Var var : at.known.inputs) inputs.push_back(builder.input(at.known.type(var)));
  Arrays results = inline_program(at.known, inputs);
  const auto first_residual = results.begin() + std::ssize(at.active);
  Arrays operands(first_residual, results.end());
  results.erase(first_residual, results.end());
  for (std::size_t i = 0; i + auxiliary < results.size(); ++i) {
    if (!tangent(results[i].type())) continue;
    const Array cotangent = builder.input(dual(results[i].type()));
    if (at.active[i]) operands.push_back(cotangent);
  }
  const Arrays cotangents = inline_program(pullback, operands);
  auto next = cotangents.begin();
  auto is_absent = absent.begin();
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (!by[i]) continue;
    ensure(tangent(inputs[i].type()).has_value(), "input {} is {}, which has no cotangent", i,
           inputs[i].type());
    results.push_back(*is_absent++ ? zeros_of(dual(inputs[i].type())) : *next++);
  }
  return without_dead_code(builder.finish(results));
}

}  // namespace tutti
