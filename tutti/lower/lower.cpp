// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/lower.hpp"

#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/lower/fold_borders.hpp"
#include "tutti/lower/in_flight.hpp"
#include "tutti/lower/manual_module.hpp"
#include "tutti/lower/replica_form.hpp"
#include "tutti/lower/spelling.hpp"
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

/// tf.aliasing_output of each argument that may be given away.
std::vector<stablehlo::Attributes> alias_attributes(const std::vector<std::optional<int>>& aliases,
                                                    const Types& inputs, const Types& outputs) {
  std::vector<stablehlo::Attributes> attributes(inputs.size());
  ensure(aliases.empty() || aliases.size() == inputs.size(), "{} aliases of {}", aliases.size(),
         counted(std::ssize(inputs), "input"));
  std::set<int> taken;
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    if (!aliases[i]) continue;
    const int output = *aliases[i];
    ensure(output >= 0 && output < static_cast<int>(outputs.size()) && taken.insert(output).second,
           "input {} may become output {}, which is not there or taken", i, output);
    const Type from = inputs[i], to = outputs[static_cast<std::size_t>(output)];
    ensure(tensor_type(from) == tensor_type(to), "input {} is {} and may become output {}, which is {}", i,
           from, output, to);
    attributes[i] = {{"tf.aliasing_output", {stablehlo::Integer{output, "i32"}}}};
  }
  return attributes;
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

stablehlo::Module lower_replicas(const Program& program, const Mesh& mesh, const ReplicaOptions& options) {
  Program local = with_borders_as_moves(program, [](const Equation&) { return false; });
  const Types inputs = local.types_of(local.inputs), outputs = local.types_of(local.outputs);
  FunctionEmitter emitter(mesh, options_for(program, {}), options.call_backs);
  stablehlo::Function main;
  for (Type type : inputs) {
    main.body.argument_types.push_back(tensor_type(type));
    main.body.arguments.push_back(emitter.new_value(tensor_type(type)));
  }
  main.argument_attributes = alias_attributes(options.aliases, inputs, outputs);
  stablehlo::Operation leave;
  leave.name = "func.return";
  leave.operands = emitter.lower(local, main.body.arguments);
  for (Type type : outputs) leave.operand_types.push_back(tensor_type(type));
  main.result_types = leave.operand_types;
  main.result_attributes.resize(outputs.size());
  main.body.operations = in_replica_form(emitter.take(), emitter, options.precision);
  main.body.operations.push_back(std::move(leave));
  stablehlo::Module module;
  module.attributes = {{"mhlo.num_partitions", {stablehlo::Integer{1, "i32"}}},
                       {"mhlo.num_replicas", {stablehlo::Integer{mesh.devices(), "i32"}}}};
  module.functions.push_back(std::move(main));
  return module;
}

stablehlo::Module lower_global(const Program& program, const Mesh& mesh, const LowerOptions& given) {
  const LowerOptions options = options_for(program, given);
  FoldedProgram folded = fold_borders(with_calls_inlined(program, kept_by(options)), mesh);
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
