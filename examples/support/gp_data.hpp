// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tutti/tensor/tensor.hpp"

namespace gp {

/// Noisy values of a function of one variable: places and values, f64[n].
struct Points {
  tutti::Tensor x, y;
};

inline constexpr double noise = 0.15;  // the standard deviation
inline constexpr double first = 0, last = 10, gap_begin = 6.2, gap_end = 7.4;

/// A made-up function: a decaying wave on a slow rise.
double function_at(double x);
/// Points at random places between `first` and `last`; none in the gap. The same for the same seed.
Points points(std::int64_t n, std::uint64_t seed);
/// n places from `begin` to `end`, evenly apart.
tutti::Tensor places(std::int64_t n, double begin, double end);

}  // namespace gp
