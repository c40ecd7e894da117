// SPDX-License-Identifier: Apache-2.0
#include "examples/support/random.hpp"

#include <utility>

namespace examples {

using namespace tutti;

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

Tensor Random::uniform(Shape shape, double bound) {
  Tensor tensor(std::move(shape), DType::f32);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>((2 * uniform() - 1) * bound);
  return tensor;
}

std::size_t Random::below(std::size_t n) {
  return static_cast<std::size_t>(uniform() * static_cast<double>(n));
}

void Random::shuffle(std::vector<std::size_t>& rows) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[below(i)]);
}

}  // namespace examples
