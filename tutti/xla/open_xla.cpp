// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/open_xla.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/backend.hpp"
#include "tutti/xla/device_order.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"
#include "tutti/xla/store/open_store.hpp"

namespace tutti {
namespace {

using namespace xla;

std::string plugin_file(const std::string& wanted) {
  const PluginPlaces places = plugin_places();
  return choose_plugin(wanted, places.variable, places.environments);
}

/// Returns the client of a plugin with these options. Machines share it, because each client of a GPU would take the
/// GPU's memory. On CPUs, each number of devices has its own client. With several processes, each machine has its own
/// client, because all processes create it together.
std::shared_ptr<const Client> client_of(const std::string& file, const ClientOptions& options) {
  if (options.store) return Client::create(Plugin::open(file), options);
  static std::mutex lock;
  static std::map<std::pair<std::string, int>, std::weak_ptr<const Client>> clients;
  std::string with_options = file;
  for (const auto& [name, value] : options.options)
    with_options += fmt::format("\n{}={}", name, to_string(value));
  constexpr int any_number = 0;
  const int cpus = options.cpu_devices.value_or(any_number);
  const std::scoped_lock locked(lock);
  for (const int number : {any_number, cpus})
    if (std::shared_ptr<const Client> client = clients[{with_options, number}].lock()) return client;
  std::shared_ptr<const Client> client = Client::create(Plugin::open(file), options);
  clients[{with_options, client->platform() == "cpu" ? cpus : any_number}] = client;
  return client;
}

/// Returns the options of the client. With several processes, they contain a store.
ClientOptions client_options(const Mesh& mesh, const XlaOptions& options) {
  const int last = options.devices.empty() ? 0 : std::ranges::max(options.devices);
  const int count = std::max(mesh.devices(), std::min(last, most_cpu_devices) + 1);
  ClientOptions wanted{.options = options.plugin_options};
  if (count <= most_cpu_devices)
    wanted.cpu_devices = count;  // if not, the mesh or the device's number is refused later
  if (options.processes == 1 && options.coordinator.empty()) return wanted;
  require(
      !options.coordinator.empty(), Code::device,
      "process {} of {} needs a coordinator; give all processes the \"host:port\" where process 0 listens",
      options.process, options.processes);
  wanted.store = open_store({.name = "tutti " + to_string(mesh),
                             .process = options.process,
                             .processes = options.processes},
                            options.coordinator);
  wanted.cpu_devices = std::nullopt;  // plugins for CPUs support only one process
  wanted.options.emplace_back("node_id", std::int64_t{options.process});
  wanted.options.emplace_back("num_nodes", std::int64_t{options.processes});
  return wanted;
}

/// The plugin's numbers of the devices, in the order of the mesh.
std::vector<int> device_ids(const Mesh& mesh, const Client& client, const std::vector<int>& wanted) {
  if (wanted.empty()) return default_order(client.devices(), mesh);
  require(std::ssize(wanted) == mesh.devices(), Code::device, "{} for the mesh {} of {}; name one per device",
          counted(std::ssize(wanted), "device number"), to_string(mesh), counted(mesh.devices(), "device"));
  return wanted;
}

}  // namespace

Machine open_xla(const Mesh& mesh, const XlaOptions& options, Where where) try {
  const std::shared_ptr<const Client> client =
      client_of(plugin_file(options.plugin), client_options(mesh, options));
  require(options.processes == 1 || client->platform() != "cpu", Code::device,
          "XLA's devices on CPUs belong to one process; leave out .processes ({})",
          client->plugin().description());
  const std::vector<int> ids = device_ids(mesh, *client, options.devices);
  return Machine(std::make_shared<XlaBackend>(mesh, client, ids, options));
} catch (const Error& error) {
  throw error.at(where, "open_xla");
}

}  // namespace tutti
