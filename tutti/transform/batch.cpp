// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/batch.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

/// The type that a pending value will have. Its op may be another one in the batch.
Type when_done(Type type) { return {type.dtype(), type.shape(), type.states()}; }

void check_results(const Program& program, const Equation& equation, const Axis& axis,
                   const BatchedArrays& results) {
  ensure(results.size() == equation.results.size(), "batch of {} gives {} for {}", equation.op->name(),
         counted(std::ssize(results), "result"), equation.results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    Type in_body = program.type(equation.results[i]), expected = in_body.with(axis, State::invariant);
    ensure(!results[i].batched || has_lanes(in_body, axis),
           "batch of {}: a result that is equal in all lanes is batched", equation.op->name());
    if (results[i].batched) expected = expected.inserted(Dim{0}, axis.size);
    ensure(when_done(results[i].array.type()) == when_done(expected), "batch of {}: {} for {}",
           equation.op->name(), results[i].array.type(), expected);
  }
}

}  // namespace

bool has_lanes(Type type, const Axis& axis) { return is_stored_per_device(type.at(axis)); }

Arrays inline_batched(const Program& program, const Axis& axis, const BatchedArrays& arguments) {
  PerVar<Batched> values(program);
  for (std::size_t i = 0; i < arguments.size(); ++i) values[program.inputs[i]] = arguments[i];
  for (const Equation& equation : program.equations)
    replay(equation, [&] {
      BatchedArrays results =
          equation.op->batch(axis, values.of(equation.operands), program.types_of(equation.operands));
      check_results(program, equation, axis, results);
      for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
    });
  Arrays outputs;
  for (Var var : program.outputs)
    outputs.push_back(has_lanes(program.type(var), axis) ? materialised(values[var], axis)
                                                         : values[var].array);
  return outputs;
}

Program batch(const Program& program, const Axis& axis) {
  Builder builder;
  BatchedArrays arguments;
  for (Var var : program.inputs) {
    Type type = program.type(var).with(axis, State::invariant);
    bool batched = has_lanes(program.type(var), axis);
    arguments.push_back({builder.input(batched ? type.inserted(Dim{0}, axis.size) : type), batched});
  }
  return without_dead_code(builder.finish(inline_batched(program, axis, arguments)));
}

}  // namespace tutti
