// SPDX-License-Identifier: Apache-2.0
// Unsigned numbers in the order of elements.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {

enum class Zeros { equal, apart };

template <std::size_t bytes>
using UnsignedOf =
    std::conditional_t<bytes == 1, std::uint8_t,
                       std::conditional_t<bytes == 2, std::uint16_t,
                                          std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;
template <class T>
using KeyOf = UnsignedOf<sizeof(T)>;

/// An unsigned number in the order of the elements. NaNs have the largest one.
template <Zeros zeros, class T>
KeyOf<T> key_of(T x) {
  using Key = KeyOf<T>;
  constexpr auto sign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (std::same_as<T, bool> || std::unsigned_integral<T>) {
    return static_cast<Key>(x);
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<Key>(static_cast<Key>(x) ^ sign);
  } else {
    const auto number = static_cast<Computed<T>>(x);
    auto bits = std::bit_cast<Key>(x);
    if (zeros == Zeros::equal && bits == sign) bits = 0;
    const auto key = static_cast<Key>((bits & sign) != 0 ? ~bits : bits | sign);
    return number == number ? key : std::numeric_limits<Key>::max();
  }
}

/// The element of a key with Zeros::apart; of a NaN's key, some NaN.
template <class T>
T element_of(KeyOf<T> key) {
  using Key = KeyOf<T>;
  constexpr auto sign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (std::same_as<T, bool> || std::unsigned_integral<T>) return static_cast<T>(key);
  else if constexpr (std::signed_integral<T>) return static_cast<T>(static_cast<Key>(key ^ sign));
  else return std::bit_cast<T>(static_cast<Key>((key & sign) != 0 ? key ^ sign : ~key));
}

}  // namespace tutti
