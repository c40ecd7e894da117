// SPDX-License-Identifier: Apache-2.0
// Memory and copies.
#include <cstring>
#include <string>

#include "tests/kernels/fake_driver/api.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/kernels/gpu/driver_types.hpp"

using namespace fake_cuda;

namespace {

constexpr std::byte fresh{0xcd};  // memory that nobody has written

std::byte* at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

/// A run of bytes that a device reads or writes.
struct Run {
  std::uint64_t address;
  std::size_t bytes;
  int device;  // whose context names it; the stream's, unless the call says another
};

int check_run(const char* function, const Run& run, const Stream& stream) {
  State& s = state();
  const Memory* memory = s.memory_at(run.address, run.bytes);
  if (!memory) return s.misuse(std::string(function) + ": outside of memory, or freed");
  if (memory->device < 0) return s.misuse(std::string(function) + ": host memory as device memory");
  if (run.device >= 0 && memory->device != run.device)
    return s.misuse(std::string(function) + ": memory of another device than its context");
  const bool reaches = memory->device == stream.context->device || run.device >= 0 ||
                       stream.context->peers.contains(memory->device);
  return reaches ? 0 : s.misuse(std::string(function) + ": a peer's memory without access to it");
}

/// Queues `run` after checking the stream and all runs of memory. Runs are checked again when it runs.
int enqueue(const char* function, void* handle, const std::vector<Run>& runs, std::function<void()> run) {
  if (const int error = state().begin_in_context(function)) return error;
  Stream* stream = stream_of(handle);
  if (!stream) return state().misuse(std::string(function) + ": no such stream", invalid_handle);
  for (const Run& each : runs)
    if (const int error = check_run(function, each, *stream)) return error;
  stream->queue.push_back({[=, run = std::move(run)] {
                             for (const Run& each : runs)
                               if (check_run(function, each, *stream) != 0) return;
                             run();
                           },
                           {},
                           {},
                           false});
  return success;
}

int device_of(void* context) { return static_cast<Context*>(context)->device; }

template <class Copy>
int copy_rows(const char* function, const Copy& copy, void* stream, int from, int to) {
  const std::size_t rows = copy.rows;
  if (copy.source_pitch < copy.width_bytes || copy.target_pitch < copy.width_bytes)
    return state().misuse(std::string(function) + ": a pitch below the width");
  const std::vector<Run> runs{{copy.source, (rows - 1) * copy.source_pitch + copy.width_bytes, from},
                              {copy.target, (rows - 1) * copy.target_pitch + copy.width_bytes, to}};
  return enqueue(function, stream, runs, [copy] {
    for (std::size_t row = 0; row < copy.rows; ++row)
      std::memmove(at(copy.target + row * copy.target_pitch), at(copy.source + row * copy.source_pitch),
                   copy.width_bytes);
  });
}

int allocate(void** address, std::size_t bytes, int device) {
  Memory memory{device, bytes, std::make_unique<std::byte[]>(bytes + 256)};
  std::memset(memory.block.get(), static_cast<int>(fresh), bytes + 256);
  const auto start = (reinterpret_cast<std::uint64_t>(memory.block.get()) + 255) / 256 * 256;
  *address = reinterpret_cast<void*>(start);
  state().memory.emplace(start, std::move(memory));
  return success;
}

int release(const char* function, std::uint64_t address, bool is_host) {
  if (const int error = state().begin_in_context(function)) return error;
  if (state().has_work()) state().misuse(std::string(function) + " while work is queued");
  const auto found = state().memory.find(address);
  if (found == state().memory.end() || (found->second.device < 0) != is_host)
    return state().misuse(std::string(function) + ": not allocated, or freed twice");
  state().memory.erase(found);
  return success;
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (const int error = state().begin_in_context("cuMemAlloc_v2")) return error;
  if (state().has_work()) state().misuse("cuMemAlloc_v2 while work is queued");
  const int device = state().current()->device;
  std::size_t used = bytes;
  for (const auto& [start, memory] : state().memory) used += memory.device == device ? memory.bytes : 0;
  if (bytes == 0) return state().misuse("cuMemAlloc_v2 of 0 bytes");
  if (used > static_cast<std::size_t>(state().machine.memory_bytes)) return out_of_memory;
  return allocate(reinterpret_cast<void**>(address), bytes, device);
}

int cuMemFree_v2(std::uint64_t address) { return release("cuMemFree_v2", address, false); }

int cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  if (const int error = state().begin_in_context("cuMemHostAlloc")) return error;
  return allocate(address, bytes, -1);
}

int cuMemFreeHost(void* address) {
  return release("cuMemFreeHost", reinterpret_cast<std::uint64_t>(address), true);
}

int cuMemsetD8Async(std::uint64_t address, unsigned char byte, std::size_t n, void* stream) {
  return enqueue("cuMemsetD8Async", stream, {{address, n, -1}}, [=] { std::memset(at(address), byte, n); });
}

int cuMemsetD32Async(std::uint64_t address, unsigned word, std::size_t n, void* stream) {
  return enqueue("cuMemsetD32Async", stream, {{address, 4 * n, -1}}, [=] {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(at(address) + 4 * i, &word, 4);
  });
}

int cuMemcpyHtoDAsync_v2(std::uint64_t target, const void* source, std::size_t bytes, void* stream) {
  const auto from = reinterpret_cast<std::uint64_t>(source);
  if (!state().memory_at(from, bytes)) state().misuse("cuMemcpyHtoDAsync_v2 from memory that is not pinned");
  return enqueue("cuMemcpyHtoDAsync_v2", stream, {{target, bytes, -1}},
                 [=] { std::memcpy(at(target), source, bytes); });
}

int cuMemcpyDtoHAsync_v2(void* target, std::uint64_t source, std::size_t bytes, void* stream) {
  const auto to = reinterpret_cast<std::uint64_t>(target);
  if (!state().memory_at(to, bytes)) state().misuse("cuMemcpyDtoHAsync_v2 to memory that is not pinned");
  return enqueue("cuMemcpyDtoHAsync_v2", stream, {{source, bytes, -1}},
                 [=] { std::memcpy(target, at(source), bytes); });
}

int cuMemcpyDtoDAsync_v2(std::uint64_t target, std::uint64_t source, std::size_t bytes, void* stream) {
  return enqueue("cuMemcpyDtoDAsync_v2", stream, {{target, bytes, -1}, {source, bytes, -1}},
                 [=] { std::memmove(at(target), at(source), bytes); });
}

int cuMemcpyPeerAsync(std::uint64_t target, void* to, std::uint64_t source, void* from, std::size_t bytes,
                      void* stream) {
  return enqueue("cuMemcpyPeerAsync", stream,
                 {{target, bytes, device_of(to)}, {source, bytes, device_of(from)}},
                 [=] { std::memmove(at(target), at(source), bytes); });
}

int cuMemcpy2DAsync_v2(const tutti::kernels::Copy2D* copy, void* stream) {
  return copy_rows("cuMemcpy2DAsync_v2", *copy, stream, -1, -1);
}

int cuMemcpy3DPeerAsync(const tutti::kernels::CopyPeer* copy, void* stream) {
  if (copy->depth != 1) return state().misuse("cuMemcpy3DPeerAsync of depth that is not 1");
  return copy_rows("cuMemcpy3DPeerAsync", *copy, stream, device_of(copy->source_context),
                   device_of(copy->target_context));
}
}
