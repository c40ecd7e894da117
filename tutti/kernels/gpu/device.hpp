// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tutti/kernels/gpu/driver.hpp"

namespace tutti::kernels {

/// A GPU and its primary context, which it shares with CUDA's runtime in this process. Held until it is destroyed.
class Device {
 public:
  /// Throws R004 if the driver has no such device.
  Device(std::shared_ptr<const Driver> driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return *driver_; }
  int ordinal() const { return ordinal_; }
  DeviceHandle handle() const { return handle_; }
  ContextHandle context() const { return context_; }
  std::string name() const;
  int attribute(int which) const;
  /// 90 for compute capability 9.0.
  int capability() const;

  /// Kernels of this device do not end. From now on none of its handles is destroyed: the driver would wait for ever.
  void abandon() const { is_abandoned_ = true; }
  bool is_abandoned() const { return is_abandoned_; }

 private:
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  DeviceHandle handle_ = 0;
  ContextHandle context_ = nullptr;
  mutable std::atomic<bool> is_abandoned_ = false;
};

/// Makes a device's context current in this thread, and brings back the one before when destroyed.
class OnDevice {
 public:
  explicit OnDevice(const Device& device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const Driver& driver_;
};

int count_of_devices(const Driver& driver);
/// One Device for each ordinal that is named; a device that is named again is the same object.
std::vector<std::shared_ptr<const Device>> open_devices(const std::shared_ptr<const Driver>& driver,
                                                        const std::vector<int>& ordinals);

/// The pair of different devices without access to each other's memory, as text; empty if all have it.
std::string missing_peer_access(const std::vector<std::shared_ptr<const Device>>& devices);
/// A pair of different devices without read-modify-writes on each other's memory, as text; empty if all have them. PCIe has
/// none, NVLink has.
std::string missing_peer_atomics(const std::vector<std::shared_ptr<const Device>>& devices);
/// Lets kernels of each device read and write the memory of all others. Access that exists already is no error.
void enable_peer_access(const std::vector<std::shared_ptr<const Device>>& devices);

}  // namespace tutti::kernels
