// SPDX-License-Identifier: Apache-2.0
// Owners of driver objects: streams, events, memory and modules. Destructors ignore errors: a driver that has
// failed reports the same error at every call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tutti/kernels/gpu/device.hpp"

namespace tutti::kernels {

/// Owns one handle of a device, and calls Destroy for it. Can be moved, not copied.
template <class Handle, class Destroy>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<const Device> device, Handle handle) : device_(std::move(device)), handle_(handle) {}
  Owned(Owned&& other) noexcept : device_(std::move(other.device_)), handle_(other.handle_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (device_) Destroy{}(*device_, handle_);
  }
  /// The handle.
  Handle get() const { return handle_; }
  /// The device of the handle.
  const Device& device() const { return *device_; }

 private:
  std::shared_ptr<const Device> device_;  // null: moved from, or empty
  Handle handle_{};
};

/// Destroys a stream.
struct DestroyStream {
  /// Called by Owned.
  void operator()(const Device& device, StreamHandle stream) const;
};
/// Destroys an event.
struct DestroyEvent {
  /// Called by Owned.
  void operator()(const Device& device, EventHandle event) const;
};
/// Frees device memory.
struct FreeMemory {
  /// Called by Owned.
  void operator()(const Device& device, DeviceAddress address) const;
};
/// Frees pinned host memory.
struct FreeHostMemory {
  /// Called by Owned.
  void operator()(const Device& device, void* memory) const;
};
/// Unloads a module.
struct UnloadModule {
  /// Called by Owned.
  void operator()(const Device& device, ModuleHandle module) const;
};

using Stream = Owned<StreamHandle, DestroyStream>;
using Event = Owned<EventHandle, DestroyEvent>;
using DeviceMemory = Owned<DeviceAddress, FreeMemory>;
using HostMemory = Owned<void*, FreeHostMemory>;  // pinned: copies to and from it are asynchronous
using Module = Owned<ModuleHandle, UnloadModule>;

/// Makes a stream that does not wait for the default stream.
Stream make_stream(const std::shared_ptr<const Device>& device);
/// Makes an event that orders streams and records no time.
Event make_event(const std::shared_ptr<const Device>& device);
/// Allocates device memory; none for 0 bytes. Throws R003 if memory is short.
DeviceMemory allocate(const std::shared_ptr<const Device>& device, std::int64_t bytes);
/// Allocates pinned host memory. Throws R003 if memory is short.
HostMemory allocate_host(const std::shared_ptr<const Device>& device, std::int64_t bytes);
/// Loads a module. `image` is PTX or a cubin. Throws R004 with the log of the driver's compiler.
Module load_module(const std::shared_ptr<const Device>& device, std::string_view image,
                   std::string_view name);
/// The entry of this name. Throws R004 if the module has none.
FunctionHandle function_of(const Module& module, const std::string& entry);

}  // namespace tutti::kernels
