// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "bench/timing.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti::bench {

constexpr double a_second = 1e9;  // ns; a worker may wait that long without being taken for crowded out

/// A copy by all workers, each its part, `times` times with a barrier after each.
struct Copy {
  enum class Stores { plain, streaming };

  Team& team;
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  Stores stores = Stores::plain;
  int times = 1;

  void part(int worker) const {
    constexpr std::size_t line = 64;
    const auto workers = static_cast<std::size_t>(team.workers()), me = static_cast<std::size_t>(worker);
    const std::size_t begin = me * bytes / workers / line * line;
    const std::size_t end = me + 1 == workers ? bytes : (me + 1) * bytes / workers / line * line;
    for (int i = 0; i < times; ++i) {
      if (stores == Stores::plain) std::memcpy(to + begin, from + begin, end - begin);
      else stream(to + begin, from + begin, end - begin);
      finish_streaming();
      if (!team.barrier(worker)) return;
    }
  }

  double microseconds() {
    const auto work = [](void* copy, int worker) { static_cast<const Copy*>(copy)->part(worker); };
    return microseconds_each([&](int n) {
      const Clock::time_point start = Clock::now();
      times = n;
      team.run(work, this, a_second);
      return microseconds_since(start);
    });
  }

  /// The faster of plain and streaming stores; `stores` says which.
  double least_microseconds() {
    stores = Stores::plain;
    const double plain = microseconds();
    stores = Stores::streaming;
    const double streaming = microseconds();
    if (plain > streaming) return streaming;
    stores = Stores::plain;
    return plain;
  }
};

}  // namespace tutti::bench
