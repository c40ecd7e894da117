// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace examples {

/// Random numbers that are the same everywhere (the distributions of <random> are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform();                                         // in [0, 1)
  tutti::Tensor uniform(tutti::Shape shape, double bound);  // f32 in [-bound, bound)
  std::size_t below(std::size_t n);
  void shuffle(std::vector<std::size_t>& rows);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

}  // namespace examples
