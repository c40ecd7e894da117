// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/machine.hpp"

#include <algorithm>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/executable.hpp"
#include "tutti/run/watch/timeline.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

int worker_count(const Mesh& mesh, int wanted) {
  require(wanted >= 0, Code::device, "{} workers; ask for 1 or more, or 0 to let Tutti choose", wanted);
  if (wanted > 0) return wanted;
  return std::min(Team::default_workers(), mesh.devices());
}

std::shared_ptr<const GlobalArray> data_of(const Array& array, std::string_view advice) {
  if (array.traced()) Builder::type_of(*array.traced());  // throws if its trace has ended
  require(!array.traced(), Code::trace, "its values are not known while its program is traced; {}", advice);
  return array.finished();
}

std::shared_ptr<const GlobalArray> data_of_argument(const Array& argument, const std::string& path) try {
  return data_of(argument, "call the function that was compiled instead");
} catch (const Error& error) {
  throw error.at({}, leaf_name("call: argument", path));
}

Array placed(const Array& array, const P& spec, const Mesh& mesh, const std::string& path) try {
  std::shared_ptr<const GlobalArray> data = data_of(array, "place it before, outside of the function");
  Sharding sharding = spec.on(mesh, data->type());
  if (data->sharding() == sharding) return array;
  return Array(std::make_shared<const GlobalArray>(GlobalArray::distributed(*data, sharding)));
} catch (const Error& error) {
  throw error.at({}, leaf_name("place: array", path));
}

void require_devices(const Mesh& machine, const Mesh& mesh) {
  std::set<int> present;
  for (int position = 0; position < machine.devices(); ++position)
    present.insert(machine.device_id(position));
  for (int position = 0; position < mesh.devices(); ++position)
    require(present.contains(mesh.device_id(position)), Code::device,
            "the mesh {} names device {}, the machine has {} ({}); use those, or open a larger machine",
            to_string(mesh), mesh.device_id(position), counted(machine.devices(), "device"),
            to_string(machine));
}

Type type_of(const Array& argument, const std::string& path) try {
  return argument.type({});
} catch (const Error& error) {
  throw error.at({}, leaf_name("compile: argument", path));
}

/// How an array that is split on this mesh lies, if a program can take it so: in even blocks, without terms.
std::optional<Sharding> split_on(const Mesh& mesh, const Array& array) {
  const std::shared_ptr<const GlobalArray> data = array.data();
  if (!data || !data->sharding() || !(data->sharding()->mesh == mesh)) return {};
  const Sharding& sharding = *data->sharding();
  const Type type = data->type();
  const bool is_split = std::ranges::any_of(sharding.dims, [](const Axes& axes) { return !axes.empty(); });
  const bool is_even = global_type(padded_local_type(type, sharding), sharding) == type;
  if (!is_split || !is_even || !sharding.unreduced.empty()) return {};
  return sharding;
}

Program simplified(Program program) {
  return without_dead_code(without_common_subexpressions(std::move(program)));
}

}  // namespace

struct Machine::State {
  State(const Mesh& devices, const MachineOptions& wanted)
      : mesh(devices), options(wanted), team(std::make_shared<Team>(worker_count(devices, wanted.workers))) {
    if (!wanted.trace.empty() || wanted.measure)
      timeline = std::make_shared<Timeline>(team->workers(), wanted.trace, "tutti on " + to_string(mesh));
  }
  Mesh mesh;
  MachineOptions options;
  std::shared_ptr<Team> team;
  std::shared_ptr<Timeline> timeline;  // null: nothing is recorded
};

struct CompiledProgram::State {
  Program program;
  Structure structure;
  std::vector<std::string> paths;  // of the declared arguments
  Arrays hidden;                   // data that the function closed over
  std::shared_ptr<Team> team;      // team and timeline must outlive the executable
  std::shared_ptr<Timeline> timeline;
  std::unique_ptr<Executable> executable;
};

const Mesh& Machine::mesh() const { return state_->mesh; }
int Machine::workers() const { return state_->team->workers(); }
std::int64_t Machine::events_left_out() const { return state_->timeline ? state_->timeline->left_out() : 0; }
std::string Machine::trace_failure() const { return state_->timeline ? state_->timeline->failure() : ""; }

Arrays Machine::place_flat(const Arrays& leaves, const Structure& structure, const Specs& specs,
                           Where where) const try {
  std::vector<P> spec_of_leaf = specs.per_leaf(structure, "specs");
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays on_mesh;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    on_mesh.push_back(placed(leaves[i], spec_of_leaf[i], mesh(), paths[i]));
  return on_mesh;
} catch (const Error& error) {
  throw error.at(where, "place");
}

Array Machine::place(const Array& array, const Mesh& mesh, const P& spec, Where where) const try {
  require_devices(this->mesh(), mesh);
  return placed(array, spec, mesh, "");
} catch (const Error& error) {
  throw error.at(where, "place");
}

CompiledProgram Machine::compile_flat(const std::function<Arrays(const Arrays&)>& function,
                                      const Arrays& arguments, const Structure& structure, Where where) const
    try {
  require(Builder::current_or_null() == nullptr, Code::trace,
          "a function is being traced here; compile outside of it, and call the function itself here");
  Types types;
  std::vector<std::string> paths = leaf_paths(structure);
  for (std::size_t i = 0; i < arguments.size(); ++i) types.push_back(type_of(arguments[i], paths[i]));
  TracedProgram traced = trace(types, function);
  CompiledProgram compiled;
  compiled.state_ = std::make_shared<CompiledProgram::State>();
  CompiledProgram::State& state = *compiled.state_;
  state.program = simplified(std::move(traced.program));
  state.structure = structure;
  state.paths = std::move(paths);
  state.hidden = std::move(traced.captured);
  state.team = state_->team;
  state.timeline = state_->timeline;
  CompileOptions options;
  options.storage = state_->options.storage;
#ifdef TUTTI_CHECK_RACES
  options.check_races = true;
#endif
  options.check_assumptions = state_->options.check_assumptions;
  options.timeline = state.timeline.get();
  options.compiled_at = where;
  for (const std::string& path : state.paths) options.input_names.push_back(leaf_name("argument", path));
  options.input_names.insert(options.input_names.end(), state.hidden.size(),
                             "data that the function closes over");
  for (const Array& argument : arguments) options.input_shardings.push_back(split_on(state_->mesh, argument));
  state.executable = std::make_unique<Executable>(state.program, state_->mesh, *state.team, options);
  return compiled;
} catch (const Error& error) {
  throw error.at(where, "compile");
}

Arrays CompiledProgram::operator()(Arrays arguments, const Structure& structure, Where where) const try {
  const State& state = *state_;
  if (!(structure == state.structure)) require_same_structure("call", state.structure, structure, where);
  std::vector<std::shared_ptr<const GlobalArray>> inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::shared_ptr<const GlobalArray> data = data_of_argument(arguments[i], state.paths[i]);
    Type expected = state.program.type(state.program.inputs[i]);
    require(
        data->type() == expected, Code::argument,
        "{} is {}, but the program was compiled for {}; hand in that type, or compile it for this one too",
        leaf_name("argument", state.paths[i]), to_string(data->type()), to_string(expected));
    inputs.push_back(std::move(data));
  }
  arguments.clear();  // donated arrays keep a single owner
  for (const Array& array : state.hidden) inputs.push_back(array.data());
  Arrays results;
  for (std::shared_ptr<const GlobalArray>& result : state.executable->run(std::move(inputs)))
    results.emplace_back(std::move(result));
  return results;
} catch (const Error& error) {
  throw error.at(where, "call");
}

const Program& CompiledProgram::program() const { return state_->program; }
std::string CompiledProgram::explain() const { return state_->executable->explain(); }

Machine open_local(const Mesh& mesh, const MachineOptions& options, Where where) try {
  return Machine(std::make_shared<Machine::State>(mesh, options));
} catch (const Error& error) {
  throw error.at(where, "open_local");
}

}  // namespace tutti
