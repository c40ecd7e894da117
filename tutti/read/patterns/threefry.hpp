// SPDX-License-Identifier: Apache-2.0
// The random numbers of JAX. A text has them as some seventy operations in a loop; here they are one.
#pragma once

#include <optional>

#include "tutti/read/reading.hpp"

namespace tutti {

/// The results of a call of the function that JAX writes for threefry2x32: two words for each counter, which
/// are the halves of 64 random bits. None: it is another function.
/// key, key: u32[]; high and low half of the counters: u32[n..] -> u32[n..], u32[n..].
std::optional<Arrays> threefry_words(const OpReader& call, const stablehlo::Function& function);

/// The exclusive or of both words of such a call: 32 random bits for each counter. None: of other values.
std::optional<Array> threefry_bits(const OpReader& exclusive_or);

}  // namespace tutti
