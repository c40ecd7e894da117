// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tutti/kernels/gpu/driver.hpp"

namespace tutti::kernels {

/// A GPU and its primary context, retained until destruction. CUDA's runtime in this process uses the same
/// context.
class Device {
 public:
  /// Throws R004 if the driver has no such device.
  Device(std::shared_ptr<const Driver> driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// The driver that opened the device.
  const Driver& driver() const { return *driver_; }
  /// The number of the device, as the driver counts them.
  int ordinal() const { return ordinal_; }
  /// The driver's handle of the device.
  DeviceHandle handle() const { return handle_; }
  /// The driver's handle of the primary context.
  ContextHandle context() const { return context_; }
  /// The driver's name of the device.
  std::string name() const;
  /// The value of an attribute, by its number in CUdevice_attribute.
  int attribute(int which) const;
  /// The compute capability: 90 for 9.0.
  int capability() const;

  /// Marks a device whose kernels do not end. Its handles are never destroyed: the driver would wait for
  /// ever.
  void abandon() const { is_abandoned_ = true; }
  /// True after abandon().
  bool is_abandoned() const { return is_abandoned_; }

 private:
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  DeviceHandle handle_ = 0;
  ContextHandle context_ = nullptr;
  mutable std::atomic<bool> is_abandoned_ = false;
};

/// Makes a device's context current in this thread. The destructor restores the previous context.
class OnDevice {
 public:
  explicit OnDevice(const Device& device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const Driver& driver_;
};

/// The number of GPUs that the driver sees.
int count_of_devices(const Driver& driver);
/// Opens one Device per ordinal. Equal ordinals share one object.
std::vector<std::shared_ptr<const Device>> open_devices(const std::shared_ptr<const Driver>& driver,
                                                        const std::vector<int>& ordinals);

/// Names the first device without access to another device's memory, and the other device. Empty if all have
/// access.
std::string missing_peer_access(const std::vector<std::shared_ptr<const Device>>& devices);
/// Names the first device without read-modify-writes on another device's memory, and the other device. Empty
/// if all have them. NVLink has them, PCIe has not.
std::string missing_peer_atomics(const std::vector<std::shared_ptr<const Device>>& devices);
/// Lets kernels of each device read and write the memory of all others, if they cannot already.
void enable_peer_access(const std::vector<std::shared_ptr<const Device>>& devices);

}  // namespace tutti::kernels
