// SPDX-License-Identifier: Apache-2.0
#include "examples/support/gp_data.hpp"

#include <cmath>

#include "examples/support/random.hpp"

namespace gp {
namespace {

/// Nearly normal, with standard deviation 1: a sum of uniform numbers, which is the same everywhere.
double normal(examples::Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

}  // namespace

double function_at(double x) { return std::sin(2.2 * x) * std::exp(-0.15 * x) + 0.3 * x / (1 + x); }

Points points(std::int64_t n, std::uint64_t seed) {
  examples::Random random(seed);
  Points made{tutti::Tensor({n}, tutti::DType::f64), tutti::Tensor({n}, tutti::DType::f64)};
  for (std::int64_t i = 0; i < n; ++i) {
    double x = first + (last - first) * random.uniform();
    if (gap_begin < x && x < gap_end) x -= gap_begin;
    made.x.mutable_data<double>()[i] = x;
    made.y.mutable_data<double>()[i] = function_at(x) + noise * normal(random);
  }
  return made;
}

tutti::Tensor places(std::int64_t n, double begin, double end) {
  tutti::Tensor made({n}, tutti::DType::f64);
  for (std::int64_t i = 0; i < n; ++i)
    made.mutable_data<double>()[i] =
        begin + (end - begin) * static_cast<double>(i) / static_cast<double>(n - 1);
  return made;
}

}  // namespace gp
