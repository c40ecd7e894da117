// SPDX-License-Identifier: Apache-2.0
// Compiled programs.
#include <algorithm>
#include <utility>

#include "tests/xla/fake_plugin/nodes.hpp"

namespace fake_pjrt {
namespace {

std::vector<DeviceHandle> devices_of(const ClientOfPlugin& client, const OptionsText& options) {
  std::vector<DeviceHandle> devices;
  for (const int id : options.device_ids)
    for (const DeviceHandle device : client.addressable)
      if (device->description.made_up.id == id) devices.push_back(device);
  std::ranges::reverse(devices);
  return devices;
}

ErrorHandle compile(ClientCompile& arguments) {
  State& s = state();
  if (!s.is_live("client", arguments.client)) return s.misuse("a compilation by an unknown client");
  const ProgramText& program = *arguments.program;
  if (program.head.struct_size < sizeof(ProgramText) + s.machine.larger)
    return s.misuse("a program of another size");
  if (std::string(program.format, program.format_bytes) != "mlir")
    return s.misuse("a program of another format");
  const OptionsText options = read_options({arguments.options, arguments.options_bytes});
  if (options.replicas == 0 || options.partitions != 1 || options.device_ids.size() != options.replicas)
    return s.misuse("options without replicas, partitions or devices, which end the process");
  for (const std::string& name : options.overrides)
    if (!name.starts_with("xla_"))
      return s.error(error_code::invalid_argument, "No such compile option: '" + name + "'");
  auto module = read_module(std::string(program.code, program.code_bytes));
  if (!module) return s.error(error_code::unknown, "-:1:1: error: no @main\nStableHLO_v1.20.0");
  arguments.loaded =
      s.add("loaded", LoadedOfPlugin{{std::move(*module), devices_of(*arguments.client, options),
                                      options.device_ids, arguments.client}});
  return nullptr;
}

ErrorHandle get_executable(LoadedGetExecutable& arguments) {
  arguments.executable = state().add("executable", ExecutableOfPlugin(arguments.loaded->program));
  return nullptr;
}
ErrorHandle destroy_executable(ExecutableDestroy& arguments) {
  return state().remove("executable", arguments.executable);
}
ErrorHandle destroy_loaded(LoadedDestroy& arguments) { return state().remove("loaded", arguments.loaded); }

ErrorHandle count_outputs(ExecutableNumOutputs& arguments) {
  arguments.count = arguments.executable->module.results.size();
  return nullptr;
}
ErrorHandle tell_types(ExecutableOutputTypes& arguments) {
  static std::vector<std::int32_t> types;
  types.clear();
  for (const ArrayText& result : arguments.executable->module.results) types.push_back(result.type);
  arguments.types = types.data();
  arguments.count = types.size();
  return nullptr;
}
ErrorHandle tell_dims(ExecutableOutputDims& arguments) {
  static std::vector<std::int64_t> dims;
  static std::vector<std::size_t> ranks;
  dims.clear();
  ranks.clear();
  for (const ArrayText& result : arguments.executable->module.results) {
    dims.insert(dims.end(), result.dims.begin(), result.dims.end());
    ranks.push_back(result.dims.size());
  }
  arguments.dims = dims.data();
  arguments.ranks = ranks.data();
  arguments.count = ranks.size();
  return nullptr;
}
ErrorHandle list_devices(LoadedAddressableDevices& arguments) {
  arguments.list = arguments.loaded->program.devices.data();
  arguments.count = arguments.loaded->program.devices.size();
  return nullptr;
}

ErrorHandle tell_memory(ExecutableMemoryStats& arguments) {
  if (!state().machine.has_statistics) return state().error(error_code::unimplemented, "not implemented");
  for (const ArrayText& array : arguments.executable->module.parameters)
    arguments.arguments += static_cast<std::int64_t>(array.bytes());
  for (const ArrayText& array : arguments.executable->module.results)
    arguments.results += static_cast<std::int64_t>(array.bytes());
  arguments.peak = arguments.arguments + arguments.results;
  return nullptr;
}
ErrorHandle tell_cost(ExecutableGetCostAnalysis& arguments) {
  if (!state().machine.has_statistics) return state().error(error_code::unimplemented, "not implemented");
  static NamedValue flops = named("flops", value_kind::float32, 1);
  flops.float32 = 8;
  arguments.list = &flops;
  arguments.count = 1;
  return nullptr;
}

void free_serialised(SerializedHandle serialised) {
  state().remove("serialised", serialised);
  if (State::take(state().exceptions, "free_serialised")) throw std::length_error("vector::reserve");
}

ErrorHandle serialise(ExecutableSerialize& arguments) {
  const std::string address = std::to_string(reinterpret_cast<std::uintptr_t>(arguments.executable));
  arguments.serialized = state().add("serialised", SerializedOfPlugin{"fake " + address});
  arguments.bytes = arguments.serialized->bytes.data();
  arguments.count = arguments.serialized->bytes.size();
  arguments.destroy = free_serialised;
  return nullptr;
}
/// Loads the bytes of serialise(). The executable that it serialised must still live.
ErrorHandle load(DeserializeAndLoad& arguments) {
  const std::string bytes(arguments.bytes, arguments.count);
  if (!bytes.starts_with("fake "))
    return state().error(error_code::invalid_argument, "these bytes are no program");
  const OptionsText options = read_options({arguments.options, arguments.options_bytes});
  if (options.device_ids.empty()) return state().misuse("a program is loaded for the devices of its bytes");
  ExecutableOfPlugin program = *reinterpret_cast<const ExecutableOfPlugin*>(std::stoull(bytes.substr(5)));
  program.devices = devices_of(*arguments.client, options);
  program.ids = options.device_ids;
  program.client = arguments.client;
  arguments.loaded = state().add("loaded", LoadedOfPlugin{std::move(program)});
  return nullptr;
}

/// Refuses the argument k of device i if XLA would crash on it, or take it although it is wrong.
ErrorHandle check_argument(const ExecutableOfPlugin& program, std::size_t i, std::size_t k,
                           BufferHandle buffer) {
  State& s = state();
  const std::string which = "argument " + std::to_string(k);
  if (!buffer) return s.misuse(which + " is null, which ends the process");
  if (!s.is_live("buffer", buffer)) return s.misuse(which + " is unknown");
  if (!buffer->block) return s.misuse(which + " has been deleted or donated");
  if (buffer->device != program.devices[i]) return s.misuse(which + " lies on another device");
  const ArrayText& wanted = program.module.parameters[k];
  if (buffer->array.type != wanted.type || buffer->array.dims != wanted.dims)
    return s.misuse(which + " has another type, which nobody notices");
  return nullptr;
}

ErrorHandle check_execution(const LoadedExecute& arguments) {
  State& s = state();
  if (!s.is_live("loaded", arguments.loaded)) return s.misuse("an unknown program is run");
  const ExecutableOfPlugin& program = arguments.loaded->program;
  if (arguments.options->head.struct_size < 112 + s.machine.larger)
    return s.misuse("options of another size");
  if (arguments.device_count != program.devices.size() ||
      arguments.argument_count != program.module.parameters.size())
    return s.misuse("lists for another number of devices or arguments");
  if (s.machine.platform == "cpu" && !arguments.done)
    return s.misuse("a launch on CPUs that nobody waits for");
  for (std::size_t i = 0; i < arguments.device_count; ++i)
    for (std::size_t k = 0; k < arguments.argument_count; ++k)
      if (const ErrorHandle refused = check_argument(program, i, k, arguments.arguments[i][k]))
        return refused;
  return nullptr;
}

/// The memory of result r on device i: new, or from a donated argument.
std::shared_ptr<Block> memory_of_result(const LoadedExecute& arguments, std::size_t i, std::size_t r) {
  const ModuleText& module = arguments.loaded->program.module;
  const ExecuteOptions& options = *arguments.options;
  for (std::size_t k = 0; k < module.alias.size(); ++k) {
    const auto* end = options.kept_arguments + options.kept_count;
    const bool is_kept = std::find(options.kept_arguments, end, static_cast<std::int64_t>(k)) != end;
    if (module.alias[k] == r && !is_kept) return std::exchange(arguments.arguments[i][k]->block, nullptr);
  }
  arguments.loaded->program.devices[i]->bytes_in_use += static_cast<std::int64_t>(module.results[r].bytes());
  return std::make_shared<Block>(module.results[r].bytes());
}

ErrorHandle execute(LoadedExecute& arguments) {
  State& s = state();
  if (const ErrorHandle refused = check_execution(arguments)) return refused;
  const ExecutableOfPlugin& program = arguments.loaded->program;
  if (const ErrorHandle error = meet(*program.client, program.ids)) return error;
  const auto late = s.late(LoadedExecute::function);
  for (std::size_t i = 0; i < arguments.device_count; ++i) {
    for (std::size_t r = 0; r < program.module.results.size(); ++r) {
      const std::shared_ptr<Block> block = memory_of_result(arguments, i, r);
      std::ranges::fill(block->bytes, std::byte{0});
      block->late = late;
      arguments.results[i][r] =
          s.add("buffer", BufferOfPlugin{program.module.results[r], program.devices[i], block});
    }
    if (arguments.done) arguments.done[i] = s.event({}, late);
  }
  return nullptr;
}

}  // namespace

void add_executable_entries(Entries& entries) {
  add_entry<ClientCompile, compile>(entries);
  add_entry<LoadedGetExecutable, get_executable>(entries);
  add_entry<ExecutableDestroy, destroy_executable>(entries);
  add_entry<LoadedDestroy, destroy_loaded>(entries);
  add_entry<ExecutableNumOutputs, count_outputs>(entries);
  add_entry<ExecutableOutputTypes, tell_types>(entries);
  add_entry<ExecutableOutputDims, tell_dims>(entries);
  add_entry<LoadedAddressableDevices, list_devices>(entries);
  add_entry<ExecutableMemoryStats, tell_memory>(entries);
  add_entry<ExecutableGetCostAnalysis, tell_cost>(entries);
  add_entry<ExecutableSerialize, serialise>(entries);
  add_entry<DeserializeAndLoad, load>(entries);
  add_entry<LoadedExecute, execute>(entries);
}

}  // namespace fake_pjrt
