// SPDX-License-Identifier: Apache-2.0
#include "tests/processes/counted_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> present{0}, most{0}, start{0}, calls{0};

void* counted(void* taken) {
  if (taken == nullptr) return nullptr;
  ++calls;
  const std::size_t now = present.fetch_add(malloc_usable_size(taken)) + malloc_usable_size(taken);
  for (std::size_t before = most.load(); before < now && !most.compare_exchange_weak(before, now);) {
  }
  return taken;
}

void* or_throw(void* taken) {
  if (taken == nullptr) throw std::bad_alloc();
  return taken;
}

void* take(std::size_t bytes) noexcept { return counted(std::malloc(std::max<std::size_t>(bytes, 1))); }
void* take(std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (std::max<std::size_t>(bytes, 1) + step - 1) / step * step));
}
void give_back(void* taken) noexcept {
  if (taken != nullptr) present -= malloc_usable_size(taken);
  std::free(taken);
}

}  // namespace

namespace tutti {

std::size_t most_bytes() { return most.load() - start.load(); }
std::size_t allocations() { return calls.load(); }
void count_from_here() {
  calls = 0;
  start = present.load();
  most = present.load();
}

}  // namespace tutti

// Those for arrays call these.
void* operator new(std::size_t bytes) { return or_throw(take(bytes)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return or_throw(take(bytes, alignment)); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(bytes, alignment);
}
void operator delete(void* taken) noexcept { give_back(taken); }
void operator delete(void* taken, std::size_t) noexcept { give_back(taken); }
void operator delete(void* taken, const std::nothrow_t&) noexcept { give_back(taken); }
void operator delete(void* taken, std::align_val_t) noexcept { give_back(taken); }
void operator delete(void* taken, std::size_t, std::align_val_t) noexcept { give_back(taken); }
void operator delete(void* taken, std::align_val_t, const std::nothrow_t&) noexcept { give_back(taken); }
