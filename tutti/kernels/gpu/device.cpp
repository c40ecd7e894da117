// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/device.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <array>
#include <map>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

using Devices = std::vector<std::shared_ptr<const Device>>;

/// Calls `body` for each ordered pair of different devices, each pair once, until `body` returns false.
template <class Body>
void for_pairs(const Devices& devices, const Body& body) {
  std::map<int, const Device*> different;
  for (const auto& device : devices) different.emplace(device->ordinal(), device.get());
  for (const auto& [a, from] : different)
    for (const auto& [b, to] : different)
      if (a != b && !body(*from, *to)) return;
}

}  // namespace

Device::Device(std::shared_ptr<const Driver> driver, int ordinal)
    : driver_(std::move(driver)), ordinal_(ordinal) {
  const int count = count_of_devices(*driver_);
  require(0 <= ordinal && ordinal < count, Code::device,
          "device {}, but {} has {}; count devices from 0, and mind CUDA_VISIBLE_DEVICES", ordinal,
          driver_->path(), counted(count, "device"));
  driver_->device_get(&handle_, ordinal);
  driver_->context_retain(&context_, handle_);
}

Device::~Device() {
  if (!is_abandoned_) driver_->context_release.result(handle_);
}

std::string Device::name() const {
  std::array<char, 256> text{};
  driver_->device_name(text.data(), static_cast<int>(text.size()) - 1, handle_);
  return text.data();
}

int Device::attribute(int which) const {
  int value = 0;
  driver_->device_attribute(&value, which, handle_);
  return value;
}

int Device::capability() const {
  return attribute(device_attribute::capability_major) * 10 + attribute(device_attribute::capability_minor);
}

OnDevice::OnDevice(const Device& device) : driver_(device.driver()) {
  driver_.context_push(device.context());
}

OnDevice::~OnDevice() {
  ContextHandle before = nullptr;
  driver_.context_pop.result(&before);
}

int count_of_devices(const Driver& driver) {
  int count = 0;
  driver.device_count(&count);
  return count;
}

Devices open_devices(const std::shared_ptr<const Driver>& driver, const std::vector<int>& ordinals) {
  std::map<int, std::shared_ptr<const Device>> opened;
  Devices devices;
  for (int ordinal : ordinals) {
    std::shared_ptr<const Device>& device = opened[ordinal];
    if (!device) device = std::make_shared<const Device>(driver, ordinal);
    devices.push_back(device);
  }
  return devices;
}

std::string missing_peer_access(const Devices& devices) {
  std::string missing;
  for_pairs(devices, [&](const Device& from, const Device& to) {
    int can = 0;
    from.driver().can_access_peer(&can, from.handle(), to.handle());
    if (!can)
      missing =
          fmt::format("device {} has no access to the memory of device {}", from.ordinal(), to.ordinal());
    return can != 0;
  });
  return missing;
}

std::string missing_peer_atomics(const Devices& devices) {
  std::string missing;
  for_pairs(devices, [&](const Device& from, const Device& to) {
    int has = 0;
    from.driver().peer_attribute(&has, native_peer_atomics, from.handle(), to.handle());
    if (!has)
      missing =
          fmt::format("device {} has no atomics on the memory of device {}", from.ordinal(), to.ordinal());
    return has != 0;
  });
  return missing;
}

void enable_peer_access(const Devices& devices) {
  for_pairs(devices, [](const Device& from, const Device& to) {
    const OnDevice current(from);
    const Driver& driver = from.driver();
    const DriverResult result = driver.enable_peer.result(to.context(), 0);
    if (result != driver_result::peer_access_already_enabled)
      driver.check(result, driver.enable_peer.symbol(),
                   fmt::format("from device {} to device {}", from.ordinal(), to.ordinal()));
    return true;
  });
}

}  // namespace tutti::kernels
