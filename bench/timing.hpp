// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

namespace tutti::bench {

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The time of one of what `timed(times)` does that often, and says how long it took: the median over batches
/// of at least 1 ms that make a block of 20 ms, five at least, so that a batch in which somebody else has had
/// the processor does not count. The first three times, in which memory is touched for the first time, are
/// not counted.
template <class Timed>
double microseconds_each(const Timed& timed) {
  constexpr double batch_us = 1'000, block_us = 20'000;
  for (int warm_up = 0; warm_up < 3; ++warm_up) timed(1);
  int times = 1;
  while (timed(times) < batch_us) times *= 2;
  std::vector<double> batches;
  for (double spent = 0; spent < block_us || batches.size() < 5; spent += batches.back())
    batches.push_back(timed(times));
  const auto middle = batches.begin() + std::ssize(batches) / 2;
  std::nth_element(batches.begin(), middle, batches.end());
  return *middle / times;
}

}  // namespace tutti::bench
