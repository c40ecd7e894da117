// SPDX-License-Identifier: Apache-2.0
// Random elements from a key and a number: Threefry-2x32 with 20 rounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/base/namespaces.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti::internal {

/// Floats are low + width * u, rounded once, with u uniform in [0, 1). Both are numbers of the dtype; of f16
/// and bf16 0 and 1.
struct RandomRange {
  double low = 0, width = 1;
  bool operator==(const RandomRange&) const = default;
};

/// Writes n elements: those with the numbers first, first + 1, .. of the draw that `key`, two words, stands
/// for. An element depends on key and number only. The hash of a number's upper and lower word is a pair (a,
/// b) of words:
/// - u64: a << 32 | b. u32: a ^ b. u16 and u8: the low bits of a ^ b.
/// - Floats: the upper bits of the unsigned integer of that width are the fraction of u; bf16: of u8.
/// Source: Salmon, Moraes, Dror, Shaw 2011; jax.random.bits and uniform with jax_threefry_partitionable.
using RandomBitsKernel = void (*)(std::byte* out, const std::uint32_t* key, std::uint64_t first,
                                  std::int64_t n, const RandomRange& range);
/// Null unless `dtype` is one of these.
RandomBitsKernel random_bits_kernel(DType dtype);

/// The constants of the rounds, for whoever writes them in other words.
namespace threefry {
inline constexpr std::uint32_t key_parity = 0x1BD11BDA;
inline constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
}  // namespace threefry

}  // namespace tutti::internal
