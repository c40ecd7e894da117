// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/buffers.hpp"

#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti::xla {

std::optional<Failure> Event::await() {
  if (!handle_) return std::nullopt;
  EventAwait waited{.event = handle_};
  std::optional<Failure> failure = plugin_->attempt(waited);
  plugin_->destroy(EventDestroy{.event = std::exchange(handle_, nullptr)});
  return failure;
}

std::optional<Failure> await_all(std::span<Event> events) {
  std::optional<Failure> first;
  for (Event& event : events)
    if (std::optional<Failure> failure = event.await(); failure && !first) first = std::move(failure);
  return first;
}

Buffers::Buffers(std::shared_ptr<const Client> client, std::shared_ptr<const DeviceList> devices, Type type)
    : client_(std::move(client)),
      devices_(std::move(devices)),
      type_(type),
      handles_(devices_->handles.size()) {}

Buffers& Buffers::operator=(Buffers&& other) noexcept {
  if (this == &other) return *this;
  destroy();
  client_ = std::move(other.client_);
  devices_ = std::move(other.devices_);
  type_ = other.type_;
  handles_ = std::move(other.handles_);
  is_given_away_ = other.is_given_away_;
  return *this;
}

Buffers::~Buffers() { destroy(); }

void Buffers::destroy() noexcept {
  for (const BufferHandle handle : handles_)
    if (handle) client_->plugin().destroy(BufferDestroy{.buffer = handle});
  handles_.clear();
}

Buffers Buffers::upload(const std::shared_ptr<const Client>& client,
                        std::shared_ptr<const DeviceList> devices, Type type,
                        std::span<const std::byte* const> parts) {
  constexpr const char* step = "upload";
  client->require_alive(step);
  ensure(parts.size() == devices->handles.size(), "xla: {}: {} for {}", step,
         counted(static_cast<std::int64_t>(parts.size()), "part"),
         counted(static_cast<std::int64_t>(devices->handles.size()), "local device"));
  const Plugin& plugin = client->plugin();
  Buffers buffers(client, std::move(devices), Type(type.dtype(), type.shape()));
  std::vector<Event> events;  // destroyed before `buffers`; the parts are the caller's
  events.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ClientUpload sent{.client = client->handle(),
                      .data = parts[i],
                      .type = element_type_of(type.dtype()),
                      .dims = type.shape().sizes().data(),
                      .rank = static_cast<std::size_t>(type.rank()),
                      .semantics = host_memory::until_done,
                      .device = buffers.devices_->handles[i]};
    if (const auto failure = plugin.attempt(sent)) client->fail_at_device(*failure, step, Code::internal);
    buffers.handles_[i] = sent.buffer;
    events.emplace_back(plugin, sent.done);
  }
  if (const auto failure = await_all(events)) client->fail_at_device(*failure, step, Code::internal);
  return buffers;
}

std::int64_t Buffers::bytes() const { return static_cast<std::int64_t>(type_.bytes() * handles_.size()); }

void Buffers::require_usable(std::string_view step) const {
  ensure(client_ && !is_given_away_, "xla: {}: the buffers of {} were given away before", step, type_);
  client_->require_alive(step);
}

Tensors Buffers::download(std::span<const int> places) const {
  constexpr const char* step = "download";
  require_usable(step);
  const Plugin& plugin = client_->plugin();
  std::byte nothing{};  // a null pointer would ask for the size
  Tensors parts;
  parts.reserve(places.size());
  std::vector<Event> events;  // destroyed before `parts`, which they write to
  events.reserve(places.size());
  for (const int place : places) {
    ensure(place >= 0 && place < static_cast<int>(handles_.size()), "xla: {}: place {} of {}", step, place,
           counted(static_cast<std::int64_t>(handles_.size()), "local device"));
    Tensor& part = parts.emplace_back(type_.dtype(), type_.shape());
    BufferDownload copy{.buffer = handles_[static_cast<std::size_t>(place)],
                        .data = part.bytes() > 0 ? part.mutable_bytes() : &nothing,
                        .bytes = part.bytes()};
    if (const auto failure = plugin.attempt(copy)) client_->fail_at_device(*failure, step, Code::internal);
    events.emplace_back(plugin, copy.done);
  }
  if (const auto failure = await_all(events)) client_->fail_at_device(*failure, step, Code::internal);
  return parts;
}

void Buffers::wait() const {
  constexpr const char* step = "wait for an array";
  require_usable(step);
  const Plugin& plugin = client_->plugin();
  std::vector<Event> events;
  events.reserve(handles_.size());
  for (const BufferHandle handle : handles_) {
    BufferReadyEvent ready{.buffer = handle};
    if (const auto failure = plugin.attempt(ready)) client_->fail_at_device(*failure, step, Code::internal);
    events.emplace_back(plugin, ready.event);
  }
  if (const auto failure = await_all(events)) client_->fail_at_device(*failure, step, Code::internal);
}

bool Buffers::is_deleted() const {
  ensure(!handles_.empty(),
         "xla: look at a buffer: the array was moved away, or has no buffer in this process");
  BufferIsDeleted question{.buffer = handles_.front()};
  client_->plugin().call(question, "look at a buffer");
  return question.is_deleted;
}

std::uintptr_t Buffers::address(int place) const {
  require_usable("look at a buffer");
  ensure(place >= 0 && place < static_cast<int>(handles_.size()), "xla: look at a buffer: place {} of {}",
         place, counted(static_cast<std::int64_t>(handles_.size()), "local device"));
  BufferUnsafePointer question{.buffer = handles_[static_cast<std::size_t>(place)]};
  client_->plugin().call(question, "look at a buffer");
  return question.address;
}

}  // namespace tutti::xla
