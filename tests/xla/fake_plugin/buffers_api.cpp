// SPDX-License-Identifier: Apache-2.0
// Events and buffers.
#include "tests/xla/fake_plugin/state.hpp"

namespace fake_pjrt {
namespace {

ErrorHandle refuse_unless_usable(const char* function, BufferHandle buffer) {
  if (!state().is_live("buffer", buffer))
    return state().misuse(std::string(function) + " of an unknown buffer");
  if (!buffer->block)
    return state().error(error_code::invalid_argument, "Buffer has been deleted or donated.");
  return nullptr;
}

void finish(EventOfPlugin& event) {
  if (event.work) event.work();
  event.work = nullptr;
}

ErrorHandle await(EventAwait& arguments) {
  State& s = state();
  if (!s.is_live("event", arguments.event)) return s.misuse("an unknown event is awaited");
  finish(*arguments.event);
  const auto& late = arguments.event->late;
  return late ? s.error(late->code, late->message) : nullptr;
}

ErrorHandle destroy_event(EventDestroy& arguments) {
  if (state().is_live("event", arguments.event)) finish(*arguments.event);
  return state().remove("event", arguments.event);
}

ErrorHandle is_ready(EventIsReady& arguments) {
  arguments.is_ready = !arguments.event->work;
  return nullptr;
}

ErrorHandle upload(ClientUpload& arguments) {
  State& s = state();
  if (!s.is_live("client", arguments.client)) return s.misuse("an upload to an unknown client");
  if (!arguments.device || arguments.layout || arguments.memory || arguments.byte_strides)
    return s.misuse("an upload without a device, or with more than it needs");
  const ArrayText array{arguments.type, {arguments.dims, arguments.dims + arguments.rank}};
  const std::size_t bytes = array.bytes();
  DeviceOfPlugin& device = *arguments.device;
  if (device.bytes_in_use + static_cast<std::int64_t>(bytes) > s.machine.memory_bytes)
    return s.error(error_code::resource_exhausted,
                   "Out of memory allocating " + std::to_string(bytes) + " bytes.");
  device.bytes_in_use += static_cast<std::int64_t>(bytes);
  auto block = std::make_shared<Block>(bytes);
  block->late = s.late(ClientUpload::function);
  const auto copy = [block, from = arguments.data] {
    if (!block->bytes.empty()) std::memcpy(block->bytes.data(), from, block->bytes.size());
  };
  if (arguments.semantics == host_memory::during_call) copy();
  arguments.done = s.event(copy, block->late);
  arguments.buffer = s.add("buffer", BufferOfPlugin{array, &device, block});
  return nullptr;
}

ErrorHandle destroy_buffer(BufferDestroy& arguments) {
  if (state().is_live("buffer", arguments.buffer) && arguments.buffer->block)
    arguments.buffer->device->bytes_in_use -= static_cast<std::int64_t>(arguments.buffer->array.bytes());
  return state().remove("buffer", arguments.buffer);
}

ErrorHandle is_deleted(BufferIsDeleted& arguments) {
  if (!state().is_live("buffer", arguments.buffer)) return state().misuse("an unknown buffer is looked at");
  arguments.is_deleted = !arguments.buffer->block;
  return nullptr;
}

ErrorHandle download(BufferDownload& arguments) {
  State& s = state();
  if (const ErrorHandle refused = refuse_unless_usable("a download", arguments.buffer)) return refused;
  const std::shared_ptr<Block> block = arguments.buffer->block;
  if (arguments.layout) return s.misuse("a download with a layout");
  if (!arguments.data) {
    arguments.bytes = block->bytes.size();
    return nullptr;
  }
  if (arguments.bytes < block->bytes.size())
    return s.error(error_code::invalid_argument,
                   "`dst_size` must be >= " + std::to_string(block->bytes.size()));
  auto late = s.late(BufferDownload::function);
  arguments.done = s.event(
      [block, to = arguments.data] {
        if (!block->bytes.empty()) std::memcpy(to, block->bytes.data(), block->bytes.size());
      },
      late ? late : block->late);
  return nullptr;
}

ErrorHandle ready(BufferReadyEvent& arguments) {
  if (const ErrorHandle refused = refuse_unless_usable("waiting", arguments.buffer)) return refused;
  arguments.event = state().event({}, arguments.buffer->block->late);
  return nullptr;
}

ErrorHandle address(BufferUnsafePointer& arguments) {
  if (const ErrorHandle refused = refuse_unless_usable("the address", arguments.buffer)) return refused;
  arguments.address = reinterpret_cast<std::uintptr_t>(arguments.buffer->block->bytes.data());
  return nullptr;
}

}  // namespace

void add_buffer_entries(Entries& entries) {
  add_entry<EventAwait, await>(entries);
  add_entry<EventDestroy, destroy_event>(entries);
  add_entry<EventIsReady, is_ready>(entries);
  add_entry<ClientUpload, upload>(entries);
  add_entry<BufferDestroy, destroy_buffer>(entries);
  add_entry<BufferIsDeleted, is_deleted>(entries);
  add_entry<BufferDownload, download>(entries);
  add_entry<BufferReadyEvent, ready>(entries);
  add_entry<BufferUnsafePointer, address>(entries);
}

}  // namespace fake_pjrt
