// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/simd/stream.hpp"

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/stream.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

void stream_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % lanes;
  std::size_t i = past == 0 ? 0 : lanes - past;
  if (i > bytes) i = bytes;
  std::memcpy(to, from, i);
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  auto* in = reinterpret_cast<const std::uint8_t*>(from);
  for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::LoadU(d, in + i), d, out + i);
  std::memcpy(to + i, from + i, bytes - i);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(stream_lines);

void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_lines)(to, from, bytes);
}

void fetch(const std::byte* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(from + at, 0, 2);
}

void finish_streaming() { hwy::FlushStream(); }

}  // namespace tutti
#endif
