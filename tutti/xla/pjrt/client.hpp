// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tutti/types/dtype.hpp"
#include "tutti/xla/pjrt/key_value_store.hpp"
#include "tutti/xla/pjrt/plugin.hpp"

namespace tutti::xla {

/// Device 0 of the next process has this id (plugin for CPUs 0.115).
inline constexpr int most_cpu_devices = 2048;

struct ClientOptions {
  /// Number of devices of a client on CPUs; 4 if absent. Plugins for other devices may refuse this option:
  /// then the client is created without it.
  std::optional<int> cpu_devices = std::nullopt;
  Values options = {};  // of the plugin, by name
  /// The store through which a plugin joins the devices of several processes. Null: one process. The client
  /// keeps it alive. Plugins for GPUs also need the options "node_id" and "num_nodes".
  std::shared_ptr<KeyValueStore> store = nullptr;
};

/// A device as the plugin describes it.
struct DeviceInfo {
  int id = 0;                  // unique over all processes; need not count from 0
  int process = 0;             // the process that drives it
  bool is_addressable = true;  // this process drives it
  std::string kind;
  Values attributes;  // a TPU has "coords"
  DeviceHandle handle{};
};

/// The devices of a program or an array: position i is replica i. This process drives the positions `local`.
struct DeviceList {
  std::vector<int> ids;
  std::vector<int> local;
  std::vector<DeviceHandle> handles;  // of the local devices
};

/// Memory of a device in bytes. Numbers that the plugin does not report are absent.
struct DeviceMemory {
  std::int64_t in_use = 0;
  std::optional<std::int64_t> peak, limit;
};

/// A plugin's client, which drives devices. Buffers and executables keep their client alive.
class Client : public std::enable_shared_from_this<Client> {
 public:
  /// Throws R004 if the plugin refuses an option, or finds no device. On CPUs the plugin gets two threads per
  /// device, unless the user has set PJRT_NPROC: with fewer threads, programs with collectives may hang.
  /// Changes the environment during the call: no other thread may read or write it meanwhile.
  /// With a store, it waits for the other processes. It then does not change the environment, because plugins
  /// for CPUs support only one process.
  static std::shared_ptr<const Client> create(std::shared_ptr<const Plugin> plugin,
                                              const ClientOptions& options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const std::string& platform() const { return platform_; }  // "cpu", "cuda"
  const std::string& platform_version() const { return platform_version_; }
  const Values& options() const { return options_; }  // that it was created with
  int process() const { return process_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }  // of all processes
  /// Throws R004 if there is no such device, or one is named twice.
  std::shared_ptr<const DeviceList> choose(std::vector<int> ids) const;
  /// None if the plugin does not report it, or this process does not drive the device.
  std::optional<DeviceMemory> memory(int device_id) const;

  /// True if a call must wait until all devices are done. XLA's CPU devices share threads: a second launch
  /// may take threads that the first one needs, and both hang.
  bool waits() const { return platform_ == "cpu"; }
  /// The lock to hold during a launch. All devices must get the launches of two threads in the same order.
  std::mutex& launches() const { return launches_; }

  const Plugin& plugin() const { return *plugin_; }
  ClientHandle handle() const { return handle_; }
  /// Throws as Plugin::fail_as does. Remembers an error that reports a lost device: `unavailable`,
  /// `data_loss`, and off CPUs `internal`. A C++ exception of the plugin is a defect of the plugin, not a
  /// lost
  /// device.
  [[noreturn]] void fail_at_device(const Failure& failure, std::string_view step, Code otherwise) const;
  /// Throws R004 if a device was lost before.
  void require_alive(std::string_view step) const;

 private:
  Client(std::shared_ptr<const Plugin> plugin, std::shared_ptr<KeyValueStore> store, ClientHandle handle);
  void describe();
  DeviceInfo described(DeviceHandle device) const;

  std::shared_ptr<const Plugin> plugin_;
  std::shared_ptr<KeyValueStore> store_;  // null: this process is alone
  ClientHandle handle_;
  Values options_;
  std::string platform_, platform_version_;
  int process_ = 0;
  std::vector<DeviceInfo> devices_;
  mutable std::mutex launches_;
  mutable std::mutex lost_lock_;
  mutable std::string lost_;  // the plugin's message when it lost a device; empty: none is lost
};

/// PJRT's number of a dtype.
std::int32_t element_type_of(DType dtype);

}  // namespace tutti::xla
