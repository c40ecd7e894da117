// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/handles.hpp"

#include <fmt/core.h>

#include <array>
#include <vector>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

using SharedDevice = std::shared_ptr<const Device>;

/// Destroys a handle in its device's context, unless the device is abandoned. Ignores errors: earlier calls
/// reported them.
template <class Call, class Handle>
void destroy(const Device& device, const Call& call, Handle handle) {
  ContextHandle before = nullptr;
  if (device.is_abandoned()) return;
  if (device.driver().context_push.result(device.context()) != driver_result::success) return;
  call.result(handle);
  device.driver().context_pop.result(&before);
}

Error with_log(const Error& error, std::string_view log) {
  std::vector<std::string> notes = error.notes();
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    if (end > 0) notes.emplace_back(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return {error.code(), error.where(), error.message(), std::move(notes)};
}

}  // namespace

void DestroyStream::operator()(const Device& device, StreamHandle stream) const {
  destroy(device, device.driver().stream_destroy, stream);
}
void DestroyEvent::operator()(const Device& device, EventHandle event) const {
  destroy(device, device.driver().event_destroy, event);
}
void FreeMemory::operator()(const Device& device, DeviceAddress address) const {
  destroy(device, device.driver().memory_free, address);
}
void FreeHostMemory::operator()(const Device& device, void* memory) const {
  destroy(device, device.driver().host_free, memory);
}
void UnloadModule::operator()(const Device& device, ModuleHandle module) const {
  destroy(device, device.driver().module_unload, module);
}

Stream make_stream(const SharedDevice& device) {
  const OnDevice current(*device);
  StreamHandle stream = nullptr;
  device->driver().stream_create(&stream, non_blocking_stream);
  return {device, stream};
}

Event make_event(const SharedDevice& device) {
  const OnDevice current(*device);
  EventHandle event = nullptr;
  device->driver().event_create(&event, event_without_timing);
  return {device, event};
}

DeviceMemory allocate(const SharedDevice& device, std::int64_t bytes) {
  if (bytes == 0) return {};
  const OnDevice current(*device);
  const Driver& driver = device->driver();
  DeviceAddress address = 0;
  driver.check(driver.memory_allocate.result(&address, static_cast<std::size_t>(bytes)),
               driver.memory_allocate.symbol(),
               fmt::format("{} bytes on device {}", bytes, device->ordinal()));
  return {device, address};
}

HostMemory allocate_host(const SharedDevice& device, std::int64_t bytes) {
  const OnDevice current(*device);
  const Driver& driver = device->driver();
  void* memory = nullptr;
  driver.check(driver.host_allocate.result(&memory, static_cast<std::size_t>(bytes), 0),
               driver.host_allocate.symbol(), fmt::format("{} pinned bytes", bytes));
  return {device, memory};
}

Module load_module(const SharedDevice& device, std::string_view image, std::string_view name) {
  const OnDevice current(*device);
  const Driver& driver = device->driver();
  const std::string terminated(image);  // the driver expects a 0 byte after PTX
  std::array<char, 8192> log{};
  std::array options{jit_error_log, jit_error_log_bytes};
  std::array<void*, 2> values{log.data(),
                              reinterpret_cast<void*>(log.size() - 1)};  // NOLINT: as the driver asks
  ModuleHandle module = nullptr;
  const DriverResult result =
      driver.module_load.result(&module, terminated.c_str(), options.size(), options.data(), values.data());
  try {
    driver.check(result, driver.module_load.symbol(),
                 fmt::format("{} on device {}", name, device->ordinal()));
  } catch (const Error& error) {
    throw with_log(error, log.data());
  }
  return {device, module};
}

FunctionHandle function_of(const Module& module, const std::string& entry) {
  const OnDevice current(module.device());
  const Driver& driver = module.device().driver();
  FunctionHandle function = nullptr;
  driver.check(driver.module_function.result(&function, module.get(), entry.c_str()),
               driver.module_function.symbol(), entry);
  return function;
}

}  // namespace tutti::kernels
