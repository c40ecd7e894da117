// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/machine.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/run/inside_call.hpp"
#include "tutti/run/watch/equal_terms.hpp"
#include "tutti/run/watch/explain.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

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

Array placed(Backend& backend, const Array& array, const P& spec, const Mesh& mesh, const std::string& path,
             const Where& where) try {
  std::shared_ptr<const GlobalArray> data = data_of(array, "place it before, outside of the function");
  return Array(backend.place(data, spec.on(mesh, data->type()), where));
} catch (const Error& error) {
  throw error.at({}, leaf_name("place: array", path));
}

void require_devices(const Mesh& machine, const Mesh& mesh) {
  std::set<int> present;
  for (int position = 0; position < machine.devices(); ++position)
    present.insert(machine.device_id(position));
  for (int position = 0; position < mesh.devices(); ++position)
    require(present.contains(mesh.device_id(position)), Code::device,
            "the mesh {} names device {}, the machine has {} ({}); use those, or open a larger machine", mesh,
            mesh.device_id(position), counted(machine.devices(), "device"), machine);
}

/// Returns the parts of the devices that this process drives, in mesh order.
Tensors own_parts(const Backend& backend, Type part, const std::map<int, Tensor>& parts) {
  const Type wanted(part.dtype(), part.shape());
  Tensors own;
  for (int device = 0; device < backend.mesh().devices(); ++device) {
    const auto given = parts.find(device);
    if (!backend.drives(device)) continue;
    require(given != parts.end(), Code::argument, "device {} has no part; hand in one of {}", device, wanted);
    const Type found(given->second.dtype(), given->second.shape());
    require(found == wanted, Code::argument, "the part of device {} is {}, the spec gives each device {}",
            device, found, wanted);
    own.push_back(given->second);
  }
  return own;
}

/// Throws T015 unless the parts on devices that hold the same shard have the same bits.
void require_equal_replicas(const Backend& backend, Type part, const Sharding& sharding, const Tensors& own) {
  const Layout layout(sharding.mesh, Storage::by_type, {}, {});
  std::map<int, std::pair<int, const Tensor*>> first;  // by shard: a device and its part
  std::size_t next = 0;
  for (int device = 0; device < sharding.mesh.devices(); ++device) {
    if (!backend.drives(device)) continue;
    const Tensor& tensor = own[next++];
    const auto [known, is_new] = first.try_emplace(layout.shard(part, device), device, &tensor);
    require(is_new || *known->second.second == tensor, Code::argument,
            "devices {} and {} hold the same part under {}, but theirs differ", known->second.first, device,
            sharding);
  }
}

Type type_of(const Array& argument, const std::string& path) try {
  return argument.type({});
} catch (const Error& error) {
  throw error.at({}, leaf_name("compile: argument", path));
}

/// The sharding of an array on this mesh, if a program can take the array without a copy. Such an array is
/// split into even blocks and has no terms.
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

constexpr std::string_view name_of_hidden_argument = "data that the function closes over";

Program simplified(Program program) {
  return without_dead_code(without_common_subexpressions(std::move(program)));
}

}  // namespace

struct CompiledProgram::State {
  Program program;
  Structure structure;
  std::vector<std::string> paths;    // of the declared arguments
  Arrays hidden;                     // data that the function closed over
  std::shared_ptr<Backend> backend;  // must outlive the runnable
  std::unique_ptr<Runnable> runnable;
};

Machine::Machine(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

const Mesh& Machine::mesh() const { return backend_->mesh(); }
Backend& Machine::backend() const { return *backend_; }
std::string Machine::description() const { return backend_->description(); }
int Machine::workers() const { return backend_->workers(); }
int Machine::process() const { return backend_->process(); }
int Machine::processes() const { return backend_->processes(); }
std::int64_t Machine::events_left_out() const {
  backend_->require_own_process();
  return backend_->events_left_out();
}
std::string Machine::trace_failure() const {
  backend_->require_own_process();
  return backend_->trace_failure();
}

Arrays Machine::place_flat(const Arrays& leaves, const Structure& structure, const Specs& specs,
                           Where where) const try {
  backend_->require_own_process();
  std::vector<P> spec_of_leaf = specs.per_leaf(structure, "specs");
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays on_mesh;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    on_mesh.push_back(placed(*backend_, leaves[i], spec_of_leaf[i], mesh(), paths[i], where));
  return on_mesh;
} catch (const Error& error) {
  throw error.at(where, "place");
}

Array Machine::place(const Array& array, const Mesh& mesh, const P& spec, Where where) const try {
  backend_->require_own_process();
  require_devices(this->mesh(), mesh);
  return placed(*backend_, array, spec, mesh, "", where);
} catch (const Error& error) {
  throw error.at(where, "place");
}

Array Machine::from_shards(const Shape& whole, const P& spec, const std::map<int, Tensor>& parts,
                           Where where) const try {
  backend_->require_own_process();
  require(!parts.empty(), Code::argument, "there is no part; hand in one per device of {}", mesh());
  const int last = parts.rbegin()->first;
  require(parts.begin()->first >= 0 && last < mesh().devices(), Code::argument,
          "there is no device {}; the mesh has {}", last < mesh().devices() ? parts.begin()->first : last,
          devices_of(mesh().devices()));
  const Type type(parts.begin()->second.dtype(), whole);
  const Sharding sharding = spec.on(mesh(), type);
  const Type part = local_type(type, sharding);
  const Tensors own = own_parts(*backend_, part, parts);
  require_equal_replicas(*backend_, part, sharding, own);
  return Array(backend_->assemble(type, sharding, own, where));
} catch (const Error& error) {
  throw error.at(where, "from_shards");
}

CompiledProgram Machine::compile_flat(const std::function<Arrays(const Arrays&)>& function,
                                      const Arrays& arguments, const Structure& structure, Where where) const
    try {
  backend_->require_own_process();
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
  CompileRequest request{.where = where};
  for (const std::string& path : state.paths) request.input_names.push_back(leaf_name("argument", path));
  request.input_names.insert(request.input_names.end(), state.hidden.size(),
                             std::string(name_of_hidden_argument));
  for (const Array& argument : arguments) request.input_shardings.push_back(split_on(mesh(), argument));
  state.backend = backend_;
  state.runnable = backend_->compile(state.program, request);
  return compiled;
} catch (const Error& error) {
  throw error.at(where, "compile");
}

Arrays CompiledProgram::operator()(Arrays arguments, const Structure& structure, Where where) const try {
  const State& state = *state_;
  state.backend->require_own_process();
  const InsideCall inside(&state);
  if (!(structure == state.structure)) require_same_structure("call", state.structure, structure, where);
  GlobalArrays inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::shared_ptr<const GlobalArray> data = data_of_argument(arguments[i], state.paths[i]);
    Type expected = state.program.type(state.program.inputs[i]);
    if (data->type() != expected)
      fail(Code::argument,
           "{} is {}, but the program was compiled for {}; hand in that type, or compile it for this one too",
           leaf_name("argument", state.paths[i]), to_string(data->type()), to_string(expected));
    inputs.push_back(std::move(data));
  }
  arguments.clear();  // donated arrays keep a single owner
  for (const Array& array : state.hidden) inputs.push_back(array.data());
  Arrays results;
  for (std::shared_ptr<const GlobalArray>& result : state.runnable->run(std::move(inputs), where))
    results.emplace_back(std::move(result));
  return results;
} catch (const Error& error) {
  throw error.at(where, "call");
}

const Program& CompiledProgram::program() const { return state_->program; }
std::string CompiledProgram::explain() const { return explained(report()); }

Report CompiledProgram::report() const {
  const State& state = *state_;
  state.backend->require_own_process();
  InsideCall::require_outside(&state);
  Report report = report_of(state.program, state.backend->mesh());
  report.machine = state.backend->description();
  for (std::size_t i = 0; i < report.arguments.size(); ++i)
    report.arguments[i].name =
        i < state.paths.size() ? leaf_name("argument", state.paths[i]) : std::string(name_of_hidden_argument);
  state.runnable->add_to(report);
  std::ranges::move(equal_terms(state.program), std::back_inserter(report.remarks));
  return report;
}

}  // namespace tutti
