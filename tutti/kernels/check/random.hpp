// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tutti::kernels {

/// Mixes all bits (SplitMix64's finalizer). The same on every machine.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mixed(seed)) {}
  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15U); }
  /// A number from 0 to n - 1. Slightly uneven unless n is a power of two.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * n >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace tutti::kernels
