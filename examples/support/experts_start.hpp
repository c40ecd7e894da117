// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "examples/experts_model.hpp"

namespace experts {

struct Sizes {
  std::int64_t experts = 8, context = 8, part = 16, width = 64, hidden = 32, vocabulary = 96;
};

/// Random matrices, the same for the same seed; both networks begin with the same ones around their layer.
/// The router's parameters are made up for by more hidden units of the dense layer, half a unit for an
/// expert.
Both start(const Sizes& sizes, std::uint64_t seed);

}  // namespace experts
