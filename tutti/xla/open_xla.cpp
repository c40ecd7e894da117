// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/open_xla.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "tutti/base/counted.hpp"
#include "tutti/base/never_destroyed.hpp"
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

/// Returns the client of a plugin with these options. Machines share it, because each client of a GPU would
/// take the GPU's memory. On CPUs, each number of devices has its own client. With several processes, each
/// machine has its own client, because all processes create it together.
std::shared_ptr<const Client> client_of(const std::shared_ptr<const Plugin>& plugin,
                                        const ClientOptions& options) {
  if (options.store) return Client::create(plugin, options);
  using Key = std::tuple<const Plugin*, Values, int>;
  static std::mutex lock;
  static NeverDestroyed<std::map<Key, std::weak_ptr<const Client>>> clients;
  Values sorted = options.options;
  std::ranges::sort(sorted);
  constexpr int any_number = 0;
  const int cpus = options.cpu_devices.value_or(any_number);
  const std::scoped_lock locked(lock);
  std::erase_if(*clients, [](const auto& known) { return known.second.expired(); });
  for (const int number : {any_number, cpus})
    if (const auto known = clients->find({plugin.get(), sorted, number}); known != clients->end())
      if (std::shared_ptr<const Client> client = known->second.lock()) return client;
  std::shared_ptr<const Client> client = Client::create(plugin, options);
  (*clients)[{plugin.get(), sorted, client->platform() == "cpu" ? cpus : any_number}] = client;
  return client;
}

/// Checks what needs no plugin.
void check(const Mesh& mesh, const XlaOptions& options) {
  require(options.devices.empty() || std::ssize(options.devices) == mesh.devices(), Code::device,
          "{} for the mesh {} of {}; name one per device",
          counted(std::ssize(options.devices), "device number"), mesh, counted(mesh.devices(), "device"));
  check(
      Job{.name = "", .process = options.process, .processes = options.processes, .secret = options.secret});
  require(
      options.processes == 1 || !options.coordinator.empty(), Code::device,
      "process {} of {} needs a coordinator; give all processes the \"host:port\" where process 0 listens",
      options.process, options.processes);
  require(options.processes == 1 || options.secret.size() >= least_secret_bytes, Code::device,
          "process {} of {} needs a secret of at least {} bytes; give all processes the same one, as "
          "`openssl rand "
          "-hex 16` prints",
          options.process, options.processes, least_secret_bytes);
}

/// The number of devices of a client on CPUs. None if the user gives it among the plugin's options, or there
/// are several processes, which plugins for CPUs do not have.
std::optional<int> cpu_devices(const Mesh& mesh, const XlaOptions& options) {
  const bool is_given = std::ranges::any_of(options.plugin_options, [](const auto& option) {
    return option.first == "cpu_device_count";
  });
  if (is_given || options.processes > 1) return std::nullopt;
  const int last = options.devices.empty() ? 0 : std::ranges::max(options.devices);
  return std::min(std::max(mesh.devices(), std::min(last, most_cpu_devices) + 1), most_cpu_devices);
}

/// Returns the options of the client. With several processes, they contain a store.
ClientOptions client_options(const Mesh& mesh, const XlaOptions& options) {
  ClientOptions wanted{.cpu_devices = cpu_devices(mesh, options), .options = options.plugin_options};
  if (options.processes == 1) return wanted;
  wanted.store = open_store({.name = "tutti " + to_string(mesh),
                             .process = options.process,
                             .processes = options.processes,
                             .secret = options.secret},
                            options.coordinator);
  wanted.options.emplace_back("node_id", std::int64_t{options.process});
  wanted.options.emplace_back("num_nodes", std::int64_t{options.processes});
  return wanted;
}

}  // namespace

Machine open_xla(const Mesh& mesh, const XlaOptions& options, Where where) try {
  check(mesh, options);
  const std::shared_ptr<const Plugin> plugin = Plugin::open(plugin_file(options.plugin));
  const std::shared_ptr<const Client> client = client_of(plugin, client_options(mesh, options));
  const bool is_on_cpus = client->platform() == "cpu";
  require(options.processes == 1 || !is_on_cpus, Code::device,
          "XLA's devices on CPUs belong to one process; leave out .processes ({})", plugin->description());
  require(mesh.devices() <= most_cpu_devices || !is_on_cpus, Code::device,
          "the mesh {} has {}; XLA has at most {} on CPUs ({})", mesh, counted(mesh.devices(), "device"),
          most_cpu_devices, plugin->description());
  const std::vector<int> ids =
      options.devices.empty() ? default_order(client->devices(), mesh) : options.devices;
  return Machine(std::make_shared<XlaBackend>(mesh, client, ids, options));
} catch (const Error& error) {
  throw error.at(where, "open_xla");
}

}  // namespace tutti
