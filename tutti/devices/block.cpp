// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/block.hpp"
#include "tutti/base/inside.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

void require_memory(bool there_is, std::size_t bytes) {
  require(there_is, Code::memory, "no memory for {} bytes; compute in parts, or keep less", bytes);
}

/// The block begins where a huge page does; what lies before and behind it is never touched.
std::shared_ptr<std::byte> mapped(std::size_t bytes) {
  std::size_t all = bytes + huge_page_bytes;
  void* at = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require_memory(at != MAP_FAILED, bytes);
  std::size_t before = -reinterpret_cast<std::uintptr_t>(at) % huge_page_bytes;
  auto* block = static_cast<std::byte*>(at) + before;
  madvise(block, bytes, MADV_HUGEPAGE);  // advice: its failure changes nothing but speed
  return {block, [at, all](std::byte*) { munmap(at, all); }};
}

}  // namespace

std::shared_ptr<std::byte> allocate_block(std::size_t bytes, BlockStart start) {
  require_memory(bytes < std::numeric_limits<std::size_t>::max() / 2, bytes);
  if (bytes >= huge_page_bytes) return mapped(bytes);
  const std::align_val_t alignment{start == BlockStart::page ? page_bytes : line_bytes};
  std::size_t rounded = (bytes / line_bytes + 1) * line_bytes;
  auto* at = static_cast<std::byte*>(::operator new[](rounded, alignment, std::nothrow));
  require_memory(at != nullptr, bytes);
  std::memset(at, 0, rounded);
  return {at, [alignment](std::byte* p) { ::operator delete[](p, alignment); }};
}

std::size_t shard_stride(std::size_t shard_bytes) {
  constexpr std::size_t dense_below = std::size_t{16} << 10;
  constexpr std::size_t stagger = (std::size_t{8} << 10) + 320;  // runtime experiment, 5.5
  if (shard_bytes < dense_below) return shard_bytes;
  return (shard_bytes + line_bytes - 1) / line_bytes * line_bytes + stagger;
}

}  // namespace tutti
