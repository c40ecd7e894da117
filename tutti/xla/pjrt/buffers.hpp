// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tutti/tensor/tensor.hpp"
#include "tutti/types/type.hpp"
#include "tutti/xla/pjrt/client.hpp"

namespace tutti::xla {

/// Unfinished work of a plugin. The destructor waits for the work, because it may read or write our memory.
class Event {
 public:
  Event(const Plugin& plugin, EventHandle handle) : plugin_(&plugin), handle_(handle) {}
  Event(Event&& other) noexcept : plugin_(other.plugin_), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() { await(); }
  /// Waits for the end of the work. Returns its error.
  std::optional<Failure> await();

 private:
  const Plugin* plugin_;
  EventHandle handle_;  // null: awaited and destroyed
};

/// Waits for all. Returns the first error.
std::optional<Failure> await_all(std::span<Event> events);

/// One array on devices: one buffer per device of this process, all of the same dtype and shape.
class Buffers {
 public:
  /// Copies parts[i], a dense array of this type, to the local device i. The parts may share memory. The
  /// caller may overwrite them afterwards. Throws R003 if a device has not enough memory.
  static Buffers upload(const std::shared_ptr<const Client>& client,
                        std::shared_ptr<const DeviceList> devices, Type type,
                        std::span<const std::byte* const> parts);
  Buffers(Buffers&& other) noexcept = default;
  Buffers& operator=(Buffers&& other) noexcept;
  ~Buffers();

  Type type() const { return type_; }  // of one device's buffer; without states
  std::int64_t bytes() const;          // of all buffers
  const std::shared_ptr<const DeviceList>& devices() const { return devices_; }
  const Client& client() const { return *client_; }
  /// True after a call that was allowed to overwrite the buffers. They cannot be used any more.
  bool is_given_away() const { return is_given_away_; }
  /// True if the plugin has given the memory of the first buffer to a result, or freed it.
  bool is_deleted() const;
  /// Returns the elements of the local devices with these indices in DeviceList::local. Throws errors of the
  /// work that fills the buffers.
  Tensors download(std::span<const int> places) const;
  Tensor download(int place) const { return std::move(download({&place, 1}).front()); }
  /// Waits until all buffers are filled. Throws errors of that work.
  void wait() const;
  std::uintptr_t address(int place) const;  // on the device

 private:
  friend class Executable;  // fills in handles, and gives buffers away
  Buffers(std::shared_ptr<const Client> client, std::shared_ptr<const DeviceList> devices, Type type);
  void destroy() noexcept;
  void require_usable(std::string_view step) const;

  std::shared_ptr<const Client> client_;  // null: moved from
  std::shared_ptr<const DeviceList> devices_;
  Type type_;
  std::vector<BufferHandle> handles_;  // per local device; null: not filled in
  bool is_given_away_ = false;
};

}  // namespace tutti::xla
