// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/open_xla.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/backend.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"

namespace tutti {
namespace {

using namespace xla;

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): open_xla says so
  return value ? value : "";
}

std::string plugin_file(const std::string& wanted) {
  const std::vector<std::string> environments{variable("VIRTUAL_ENV"), ".venv"};
  return choose_plugin(wanted, variable("TUTTI_PJRT_PLUGIN"), environments);
}

/// The client of a plugin with these options. Two clients of one GPU would each take its memory.
std::shared_ptr<const Client> client_of(const std::string& file, const ClientOptions& options) {
  static std::mutex lock;
  static std::map<std::string, std::weak_ptr<const Client>> clients;
  std::string key = fmt::format("{}\n{}", file, options.cpu_devices.value_or(0));
  for (const auto& [name, value] : options.options) key += fmt::format("\n{}={}", name, to_string(value));
  const std::scoped_lock locked(lock);
  std::weak_ptr<const Client>& known = clients[key];
  if (std::shared_ptr<const Client> client = known.lock()) return client;
  std::shared_ptr<const Client> client = Client::create(Plugin::open(file), options);
  known = client;
  return client;
}

/// The plugin's numbers of the devices, in the order of the mesh.
std::vector<int> device_ids(const Mesh& mesh, const Client& client, const std::vector<int>& wanted) {
  if (!wanted.empty()) {
    require(std::ssize(wanted) == mesh.devices(), Code::device, "{} for the mesh {} of {}",
            counted(std::ssize(wanted), "device number"), to_string(mesh), counted(mesh.devices(), "device"));
    return wanted;
  }
  std::vector<int> ids;
  for (const DeviceInfo& device : client.devices()) ids.push_back(device.id);
  require(std::ssize(ids) >= mesh.devices(), Code::device,
          "the mesh {} has {}, the plugin {}; open a smaller mesh ({})", to_string(mesh),
          counted(mesh.devices(), "device"), ids.size(), client.plugin().description());
  std::ranges::sort(ids);
  ids.resize(static_cast<std::size_t>(mesh.devices()));
  return ids;
}

}  // namespace

Machine open_xla(const Mesh& mesh, const XlaOptions& options, Where where) try {
  const int last = options.devices.empty() ? 0 : std::ranges::max(options.devices);
  const ClientOptions wanted{.cpu_devices = std::max(mesh.devices(), last + 1),
                             .options = options.plugin_options};
  const std::shared_ptr<const Client> client = client_of(plugin_file(options.plugin), wanted);
  const std::vector<int> ids = device_ids(mesh, *client, options.devices);
  return Machine(std::make_shared<XlaBackend>(mesh, client, ids, options));
} catch (const Error& error) {
  throw error.at(where, "open_xla");
}

}  // namespace tutti
