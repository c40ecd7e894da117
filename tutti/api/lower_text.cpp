// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/lower_text.hpp"

#include "tutti/base/require.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/lower/in_flight.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

Type type_of(const Array& argument, const std::string& path) try {
  return argument.type({});
} catch (const Error& error) {
  throw error.at({}, leaf_name("lower_text: argument", path));
}

/// Data that the function closes over, as a part of the program.
Array as_constant(const Array& captured) {
  require(captured.data() != nullptr, Code::trace,
          "the function closes over an array without a value, {}; make it an argument", captured.type());
  return constant(captured.tensor());
}

Program without_captured(const TracedProgram& traced, std::size_t arguments) {
  Builder builder;
  Arrays inputs;
  for (std::size_t i = 0; i < arguments; ++i)
    inputs.push_back(builder.input(traced.program.type(traced.program.inputs[i])));
  for (const Array& captured : traced.captured) inputs.push_back(as_constant(captured));
  return builder.finish(inline_program(traced.program, inputs));
}

/// The mesh of the first shard_map, also in sub-programs.
std::optional<Mesh> mesh_of(const Program& program) {
  for (const Equation& equation : program.equations) {
    if (const auto* enter = equation.op.as<Enter>()) return enter->sharding.mesh;
    if (const auto* leave = equation.op.as<Leave>()) return leave->sharding.mesh;
    for (const SubProgram& inside : equation.op->programs())
      if (std::optional<Mesh> mesh = mesh_of(*inside)) return mesh;
  }
  return std::nullopt;
}

stablehlo::Module lowered(const Program& program, const Mesh& mesh, const TextOptions& options) {
  switch (options.form) {
    case TextForm::global: return lower_global(program, mesh, options.ops);
    case TextForm::per_device: {
      const Uninlined kept = kept_by(options_for(program, options.ops));
      return lower_per_device(localised(program, mesh, {}, kept).program, mesh, options.ops);
    }
    case TextForm::replicas: return lower_replicas(localised(program, mesh).program, mesh);
  }
  return {};
}

}  // namespace

std::string internal::lower_text_flat(const std::function<Arrays(const Arrays&)>& function,
                                      const Arrays& arguments, const Structure& structure,
                                      const TextOptions& options, Where where) try {
  require(Builder::current_or_null() == nullptr, Code::trace,
          "a function is being traced here; lower it outside of it");
  Types types;
  const std::vector<std::string> paths = leaf_paths(structure);
  for (std::size_t i = 0; i < arguments.size(); ++i) types.push_back(type_of(arguments[i], paths[i]));
  const Program program = without_dead_code(
      without_common_subexpressions(without_captured(trace(types, function), arguments.size())));
  const std::optional<Mesh> of_maps = mesh_of(program);
  const Mesh mesh = options.mesh.value_or(of_maps.value_or(Mesh()));
  require(!of_maps || *of_maps == mesh, Code::mesh,
          "a shard_map is over {}, but .mesh is {}; leave .mesh out", of_maps.value_or(mesh), mesh);
  return stablehlo::write(lowered(program, mesh, options), {.locations = options.locations});
} catch (const Error& error) {
  throw error.at(where, "lower_text");
}

}  // namespace tutti
