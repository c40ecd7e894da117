// SPDX-License-Identifier: Apache-2.0
// Rounds floats to a format of fewer bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/types/dtype.hpp"

namespace tutti::ops {

/// out[i] = in[i], rounded to a format with these bits of exponent and mantissa, and stored as the dtype.
/// First the mantissa is rounded, to nearest, ties to even. A number above the largest of the format becomes
/// infinite; one below the smallest normal number becomes 0. The sign stays. A NaN stays as it is. A format
/// with more bits than the dtype changes nothing.
/// exponent_bits >= 1, mantissa_bits >= 0. `dtype` is a float. `out` may be `in`.
/// Source: EmitReducePrecisionIR of XLA.
void reduce_precision(std::byte* out, const std::byte* in, std::int64_t n, DType dtype,
                      std::int64_t exponent_bits, std::int64_t mantissa_bits);

}  // namespace tutti::ops
