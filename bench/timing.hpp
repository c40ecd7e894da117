// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tutti::bench {

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The time of one of `run(times)` over at least a block of 20 ms, after one that is not counted.
template <class Run>
double microseconds_each(const Run& run) {
  constexpr double block_us = 20'000;
  run(1);
  for (int times = 1;; times *= 2) {
    const Clock::time_point start = Clock::now();
    run(times);
    if (const double took = microseconds_since(start); took >= block_us) return took / times;
  }
}

/// memcpy past the caches, where the processor can; `to` lies on a 16-byte boundary.
inline void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t done = 0;
#if defined(__SSE2__)
  for (; done + 64 <= bytes; done += 64)
    for (std::size_t i = done; i < done + 64; i += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  _mm_sfence();
#endif
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace tutti::bench
