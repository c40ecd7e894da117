// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tutti/types/dtype.hpp"
#include "tutti/xla/plugin.hpp"

namespace tutti::xla {

struct ClientOptions {
  /// Devices of a client on CPUs, which has 4 without it. Plugins for other devices do not get this option.
  std::optional<int> cpu_devices = std::nullopt;
  Values options = {};  // of the plugin, by name
};

/// A device as the plugin describes it.
struct DeviceInfo {
  int id = 0;                  // unique over all processes; need not count from 0
  int process = 0;             // that drives it
  bool is_addressable = true;  // this process drives it
  std::string kind;
  Values attributes;  // "coords" of a TPU
  DeviceHandle handle{};
};

/// The devices of a program or an array: position i is replica i. This process drives those at the positions `local`.
struct DeviceList {
  std::vector<int> ids;
  std::vector<int> local;
  std::vector<DeviceHandle> handles;  // of the local ones
};

/// Memory of a device in bytes. Numbers that the plugin does not tell are absent.
struct DeviceMemory {
  std::int64_t in_use = 0;
  std::optional<std::int64_t> peak, limit;
};

/// A plugin's client: the devices that it drives. Buffers and executables keep their client alive, and the client its
/// plugin.
class Client : public std::enable_shared_from_this<Client> {
 public:
  /// Throws R004 if the plugin refuses an option, or finds no device. On CPUs the plugin gets two threads per device,
  /// unless the environment has PJRT_NPROC: with fewer, programs with collectives may stand still.
  /// Not while other threads read or write the environment.
  static std::shared_ptr<const Client> create(std::shared_ptr<const Plugin> plugin,
                                              const ClientOptions& options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const std::string& platform() const { return platform_; }  // "cpu", "cuda"
  const std::string& platform_version() const { return platform_version_; }
  int process() const { return process_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }  // of all processes
  /// Throws R004 if there is no such device, or one is named twice.
  std::shared_ptr<const DeviceList> choose(std::vector<int> ids) const;
  /// None if the plugin does not count, or has no such device here.
  std::optional<DeviceMemory> memory(int device_id) const;

  /// True if a call must wait until all devices are done. XLA's CPU devices share threads: a second launch may take
  /// those that the first one needs, and both wait for ever.
  bool waits() const { return platform_ == "cpu"; }
  /// Held over a launch. Launches of two threads must come to all devices in the same order.
  std::mutex& launches() const { return launches_; }

  const Plugin& plugin() const { return *plugin_; }
  ClientHandle handle() const { return handle_; }
  /// As Plugin::fail_as, for the work of devices: an error that says that a device is lost is remembered.
  [[noreturn]] void fail_at_device(const Failure& failure, std::string_view step, Code otherwise) const;
  /// Throws R004 if a device was lost before.
  void require_alive(std::string_view step) const;

 private:
  Client(std::shared_ptr<const Plugin> plugin, ClientHandle handle);
  void describe();
  DeviceInfo described(DeviceHandle device) const;

  std::shared_ptr<const Plugin> plugin_;
  ClientHandle handle_;
  std::string platform_, platform_version_;
  int process_ = 0;
  std::vector<DeviceInfo> devices_;
  mutable std::mutex launches_;
  mutable std::mutex lost_lock_;
  mutable std::string lost_;  // what the plugin said when it lost a device
};

/// PJRT's number of an element type, and back. None for those that we do not have.
std::int32_t element_type_of(DType dtype);
std::optional<DType> dtype_of_element(std::int32_t type);

}  // namespace tutti::xla
