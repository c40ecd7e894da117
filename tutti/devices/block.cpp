// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/block.hpp"

#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <new>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

std::shared_ptr<std::byte> mapped(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(at != MAP_FAILED, Code::memory, "no memory for {} bytes", bytes);
  madvise(at, bytes, MADV_HUGEPAGE);  // advice: its failure changes nothing but speed
  return {static_cast<std::byte*>(at), [bytes](std::byte* p) { munmap(p, bytes); }};
}

}  // namespace

std::shared_ptr<std::byte> allocate_block(std::size_t bytes) {
  require(bytes < std::numeric_limits<std::size_t>::max() / 2, Code::memory, "no memory for {} bytes", bytes);
  if (bytes >= huge_page_bytes) return mapped(bytes);
  std::size_t rounded = (bytes / line_bytes + 1) * line_bytes;
  auto* at = static_cast<std::byte*>(::operator new[](rounded, std::align_val_t{line_bytes}, std::nothrow));
  require(at != nullptr, Code::memory, "no memory for {} bytes", bytes);
  std::memset(at, 0, rounded);
  return {at, [](std::byte* p) { ::operator delete[](p, std::align_val_t{line_bytes}); }};
}

std::size_t shard_stride(std::size_t shard_bytes) {
  constexpr std::size_t dense_below = std::size_t{16} << 10;
  constexpr std::size_t stagger = (std::size_t{8} << 10) + 320;  // runtime experiment, 5.5
  if (shard_bytes < dense_below) return shard_bytes;
  return (shard_bytes + line_bytes - 1) / line_bytes * line_bytes + stagger;
}

}  // namespace tutti
