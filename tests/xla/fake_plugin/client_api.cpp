// SPDX-License-Identifier: Apache-2.0
// The plugin itself, clients, devices.
#include <array>
#include <cstdlib>

#include "tests/xla/fake_plugin/nodes.hpp"

namespace fake_pjrt {
namespace {

constexpr int default_devices = 4;

ErrorHandle initialise(PluginInitialize&) {
  if (state().is_initialised) return state().misuse("the plugin is initialised twice");
  state().is_initialised = true;
  return nullptr;
}

ErrorHandle tell_attributes(PluginAttributes& arguments) {
  static constexpr std::array<std::int64_t, 3> newest{1, 20, 0}, oldest{0, 9, 0};
  static const std::array<NamedValue, 3> values = [] {
    std::array<NamedValue, 3> made;
    made[0] = named("stablehlo_current_version", value_kind::int64_list, 3);
    made[0].int64_list = newest.data();
    made[1] = named("stablehlo_minimum_version", value_kind::int64_list, 3);
    made[1].int64_list = oldest.data();
    made[2] = named("xla_version", value_kind::int64, 1);
    made[2].int64 = 2;
    return made;
  }();
  arguments.list = values.data();
  arguments.count = values.size();
  return nullptr;
}

std::vector<MadeUpDevice> devices_for(std::int64_t count) {
  if (!state().machine.devices.empty()) return state().machine.devices;
  std::vector<MadeUpDevice> devices;
  for (int id = 0; id < count; ++id) devices.push_back({.id = id, .process = state().machine.process});
  return devices;
}

/// Reads the options as plugin 0.115 does. Returns the error, if any.
ErrorHandle read_client_options(const ClientCreate& arguments, std::int64_t& count, ClientOfPlugin& client) {
  State& s = state();
  s.options_of_client.clear();
  for (std::size_t i = 0; i < arguments.option_count; ++i) {
    const NamedValue& option = arguments.options[i];
    const std::string name(option.name, option.name_bytes);
    if (option.head.struct_size != sizeof(NamedValue)) return s.misuse("an option of another size");
    if (name == "cpu_device_count" && s.machine.platform == "cpu") {
      if (option.kind != value_kind::int64 || option.int64 < 1) throw std::length_error("vector::reserve");
      count = option.int64;
    } else if ((name == "node_id" || name == "num_nodes") && s.machine.platform != "cpu") {
      if (option.kind != value_kind::int64)
        return s.error(error_code::invalid_argument, name + " is no int64");
      (name == "node_id" ? client.node : client.nodes) = static_cast<int>(option.int64);
    } else if (name != "note") {
      return s.error(error_code::invalid_argument,
                     "Unexpected option name passed to PJRT_Client_Create: " + name);
    }
    s.options_of_client.push_back(name + "=" +
                                  (option.kind == value_kind::string ? std::string(option.string, option.size)
                                                                     : std::to_string(option.int64)));
  }
  return nullptr;
}

/// The devices of all nodes, numbered in order of nodes.
ErrorHandle devices_of_nodes(ClientOfPlugin& client, std::vector<MadeUpDevice>& devices) {
  std::vector<int> counts;
  if (const ErrorHandle error = exchange_topologies(client, counts)) return error;
  for (int node = 0, id = 0; node < static_cast<int>(counts.size()); ++node)
    for (int i = 0; i < counts[static_cast<std::size_t>(node)]; ++i)
      devices.push_back({.id = id++, .process = node});
  return nullptr;
}

ErrorHandle create(ClientCreate& arguments) {
  State& s = state();
  std::int64_t count = default_devices;
  ClientOfPlugin made;
  made.store = arguments;
  made.process = s.machine.process;
  if (const ErrorHandle refused = read_client_options(arguments, count, made)) return refused;
  const char* threads = std::getenv("PJRT_NPROC");
  s.threads_of_client = threads ? threads : "";
  std::vector<MadeUpDevice> devices = devices_for(count);
  if (made.nodes > 1) {
    made.process = made.node;
    devices.clear();
    if (const ErrorHandle error = devices_of_nodes(made, devices)) return error;
  }
  ClientHandle client = s.add("client", std::move(made));
  for (const MadeUpDevice& made_up : devices) {
    DeviceOfPlugin& device = client->devices.emplace_back();
    device.description.made_up = made_up;
    client->all.push_back(&device);
    if (made_up.process == client->process) client->addressable.push_back(&device);
  }
  arguments.client = client;
  return nullptr;
}

ErrorHandle destroy(ClientDestroy& arguments) {
  for (const char* kind : {"buffer", "loaded", "executable", "event"})
    if (state().live("client") == 1 && state().live(kind) > 0)
      state().misuse(std::string("a client is destroyed before its last ") + kind);
  if (state().is_live("client", arguments.client)) say_farewell(*arguments.client);
  return state().remove("client", arguments.client);
}

ErrorHandle tell_platform(ClientPlatformName& arguments) {
  arguments.text = state().machine.platform.data();
  arguments.bytes = state().machine.platform.size();
  return nullptr;
}
ErrorHandle tell_version(ClientPlatformVersion& arguments) {
  static std::string longer;  // texts are not null-terminated
  longer = state().machine.version + ", and more";
  arguments.text = longer.data();
  arguments.bytes = state().machine.version.size();
  return nullptr;
}
ErrorHandle tell_process(ClientProcessIndex& arguments) {
  arguments.index = arguments.client->process;
  return nullptr;
}
ErrorHandle list_devices(ClientDevices& arguments) {
  arguments.list = arguments.client->all.data();
  arguments.count = arguments.client->all.size();
  return nullptr;
}
ErrorHandle list_addressable(ClientAddressableDevices& arguments) {
  arguments.list = arguments.client->addressable.data();
  arguments.count = arguments.client->addressable.size();
  return nullptr;
}

ErrorHandle describe(DeviceGetDescription& arguments) {
  arguments.description = &arguments.device->description;
  return nullptr;
}
ErrorHandle tell_id(DescriptionId& arguments) {
  arguments.id = arguments.description->made_up.id;
  return nullptr;
}
ErrorHandle tell_process_of_device(DescriptionProcessIndex& arguments) {
  arguments.index = arguments.description->made_up.process;
  return nullptr;
}
ErrorHandle tell_kind(DescriptionKind& arguments) {
  arguments.text = arguments.description->made_up.kind.data();
  arguments.bytes = arguments.description->made_up.kind.size();
  return nullptr;
}
ErrorHandle tell_device_attributes(DescriptionAttributes& arguments) {
  DescriptionOfPlugin& description = *arguments.description;
  const MadeUpDevice& made_up = description.made_up;
  description.attributes.clear();
  if (!made_up.coords.empty())
    description.attributes.push_back(named("coords", value_kind::int64_list, made_up.coords.size()));
  for (NamedValue& coords : description.attributes) coords.int64_list = made_up.coords.data();
  for (const auto& [name, number] : made_up.numbers)
    description.attributes.emplace_back(named(name, value_kind::int64, 1)).int64 = number;
  for (const auto& [name, text] : made_up.texts)
    description.attributes.emplace_back(named(name, value_kind::string, text.size())).string = text.data();
  arguments.list = description.attributes.data();
  arguments.count = description.attributes.size();
  return nullptr;
}
ErrorHandle tell_memory(DeviceMemoryStats& arguments) {
  if (!state().machine.has_statistics) return state().error(error_code::unimplemented, "not implemented");
  arguments.bytes_in_use = arguments.device->bytes_in_use;
  arguments.limit = {state().machine.memory_bytes, true};
  return nullptr;
}

}  // namespace

void add_client_entries(Entries& entries) {
  add_entry<PluginInitialize, initialise>(entries);
  add_entry<PluginAttributes, tell_attributes>(entries);
  add_entry<ClientCreate, create>(entries);
  add_entry<ClientDestroy, destroy>(entries);
  add_entry<ClientPlatformName, tell_platform>(entries);
  add_entry<ClientPlatformVersion, tell_version>(entries);
  add_entry<ClientProcessIndex, tell_process>(entries);
  add_entry<ClientDevices, list_devices>(entries);
  add_entry<ClientAddressableDevices, list_addressable>(entries);
  add_entry<DeviceGetDescription, describe>(entries);
  add_entry<DescriptionId, tell_id>(entries);
  add_entry<DescriptionProcessIndex, tell_process_of_device>(entries);
  add_entry<DescriptionKind, tell_kind>(entries);
  add_entry<DescriptionAttributes, tell_device_attributes>(entries);
  add_entry<DeviceMemoryStats, tell_memory>(entries);
}

}  // namespace fake_pjrt
