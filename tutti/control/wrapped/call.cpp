// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/call.hpp"

#include <fmt/core.h>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/composite.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/control/wrapped/remat.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/arg_reduce.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/ragged_all_to_all.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {

std::vector<AxisStates> call_wants(const Program& body) {
  std::vector<AxisStates> states;
  for (Var var : body.inputs) states.push_back(body.type(var).states());
  return states;
}

Types call_infer(const Program& body, const Types& operands) {
  ensure(operands.size() == body.inputs.size(), "{} for a body of {}",
         counted(std::ssize(operands), "operand"), body.inputs.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    require_type(fmt::format("operand {}", i), operands[i], body.type(body.inputs[i]));
  return body.types_of(body.outputs);
}

BatchedArrays call_batch(const Program& body, const Op& batched, const Axis& axis,
                         const BatchedArrays& operands) {
  Arrays given;
  for (std::size_t i = 0; i < operands.size(); ++i)
    given.push_back(has_lanes(body.type(body.inputs[i]), axis) ? materialised(operands[i], axis)
                                                               : operands[i].array);
  Arrays found = tutti::apply(batched, given);
  BatchedArrays results;
  for (std::size_t i = 0; i < found.size(); ++i)
    results.push_back({found[i], has_lanes(body.type(body.outputs[i]), axis)});
  return results;
}

SubProgram called(const Op& op, const Types& operands) {
  if (const auto* remat = op.as<Remat>()) return remat->body;
  if (const auto* custom = op.as<CustomJvp>()) return custom->body;
  if (const auto* custom = op.as<CustomVjp>()) return custom->body;
  if (const auto* custom = op.as<CustomTangent>()) return custom->forward();
  if (const auto* composite = op.as<Composite>()) return composite->body;
  if (const auto* ragged = op.as<RaggedAllToAll>()) return ragged->by_gather(operands);
  if (const auto* extreme = op.as<ArgReduce>()) return extreme->in_pieces(operands);
  if (const auto* exchange = op.as<Exchange>()) return exchange->in_two(operands);
  return nullptr;
}

namespace {

/// True if `op` is a Start or a Done that stays.
bool keeps(const Uninlined& kept, const Op& op, const Types& operands) {
  if (kept.futures || !kept.own_futures) return kept.futures;
  if (const auto* start = op.as<Start>()) return called(start->op, operands) == nullptr;
  const auto* done = op.as<Done>();
  return done && called(done->op, started(operands[0])->operands) == nullptr;
}

/// Errors name the line of the call where the body has none.
Program placed(Program body, const Where& where) {
  for (Equation& equation : body.equations)
    if (!equation.where.known()) equation.where = where;
  return body;
}

}  // namespace

Program with_calls_inlined(const Program& program, const Uninlined& kept) {
  auto inlined = [&](const Program& inside) { return with_calls_inlined(inside, kept); };
  Builder builder;
  PerVar<Array> values(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (const Equation& equation : program.equations) {
    Arrays operands = values.of(equation.operands), results;
    const Types types = program.types_of(equation.operands);
    const auto* start = equation.op.as<Start>();
    const bool in_halves = start || equation.op.as<Done>(), keeps_halves = keeps(kept, equation.op, types);
    const Op& op = start && !keeps_halves ? start->op : equation.op;
    const bool stays = (in_halves && keeps_halves) || (kept.ragged && op.as<RaggedAllToAll>()) ||
                       (kept.long_argmax && op.as<ArgReduce>()) || (kept.exchanges && op.as<Exchange>());
    SubProgram body = stays ? nullptr : called(op, types);
    if (op.as<Done>() && !stays) results = {operands[0]};
    else if (body) results = inline_program(placed(inlined(*body), equation.where), operands);
    else results = repeat({with_changed_programs(op, inlined), {}, {}, equation.where}, operands);
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
  }
  return builder.finish(values.of(program.outputs));
}

}  // namespace tutti
