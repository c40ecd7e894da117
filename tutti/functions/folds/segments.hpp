// SPDX-License-Identifier: Apache-2.0
// Folds of rows by the number of the segment that each belongs to; programs show the ops.
#pragma once

#include <cstdint>

#include "tutti/ir/array.hpp"

namespace tutti {

/// jax.ops.segment_sum, segment_max and segment_min: result[s] = the sum, the largest or the smallest of x[i]
/// with segments[i] = s. Rows of a segment that is not among 0 to num_segments - 1 do not count. A segment
/// without rows has 0, or the smallest or largest value. x: [n, ..], segments: [n] of integers ->
/// [num_segments, ..]. Rows that are the extreme share the derivative. Throws T005, T007, T004 for an extreme
/// of an unreduced sum.
Array segment_sum(const Operand& x, const Operand& segments, std::int64_t num_segments);
Array segment_max(const Operand& x, const Operand& segments, std::int64_t num_segments);
Array segment_min(const Operand& x, const Operand& segments, std::int64_t num_segments);

}  // namespace tutti
