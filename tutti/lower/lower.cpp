// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/lower.hpp"

#include "tutti/control/wrapped/call.hpp"
#include "tutti/lower/fold_borders.hpp"
#include "tutti/lower/in_flight.hpp"
#include "tutti/lower/manual_module.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

/// Without it XLA chooses, and sums partial terms.
std::optional<Sharding> only_sharding(const FoldedProgram& folded, std::size_t input) {
  std::optional<Sharding> found;
  for (const FoldedProgram::Source& source : folded.sources) {
    if (source.input != input) continue;
    if (found) return {};
    found = source.sharding;
  }
  return found;
}

}  // namespace

stablehlo::Module lower_per_device(const Program& program, const Mesh& mesh, const LowerOptions& options) {
  Program local = with_borders_as_moves(program, [](const Equation&) { return false; });
  FunctionEmitter emitter(mesh, options_for(program, options));
  ManualModule module(mesh, emitter);
  Lowered inputs;
  for (Type type : local.types_of(local.inputs))
    inputs.push_back(module.enter(module.argument(type), type, unsharded(mesh, type.rank())));
  Lowered outputs = emitter.lower(local, inputs);
  Types types = local.types_of(local.outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    module.leave(outputs[i], types[i], unsharded(mesh, types[i].rank()));
  return std::move(module).finish();
}

stablehlo::Module lower_global(const Program& program, const Mesh& mesh, const LowerOptions& given) {
  const LowerOptions options = options_for(program, given);
  const Uninlined kept{.futures = options.async || options.send_recv,
                       .ragged = options.ragged_call,
                       .long_argmax = true,
                       .exchanges = true};
  FoldedProgram folded = fold_borders(with_calls_inlined(program, kept), mesh);
  FunctionEmitter emitter(mesh, options);
  ManualModule module(mesh, emitter);
  Lowered arguments, inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    arguments.push_back(module.argument(program.type(program.inputs[i]), only_sharding(folded, i)));
  Types parts = folded.program.types_of(folded.program.inputs);
  for (std::size_t i = 0; i < parts.size(); ++i)
    inputs.push_back(module.enter(arguments[folded.sources[i].input], parts[i], folded.sources[i].sharding));
  Lowered outputs = emitter.lower(folded.program, inputs);
  Types wholes = program.types_of(program.outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    module.leave(outputs[i], wholes[i], folded.results[i], folded.results[i]);
  return std::move(module).finish();
}

}  // namespace tutti
