// SPDX-License-Identifier: Apache-2.0
// Functions of kernel ops on arrays of lanes. A lane is one word of 64 bits: an integer is sign-extended, i1
// is 0 or 1, a float is its bits, a pointer is its address.
#pragma once

#include <cstdint>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

using LaneWord = std::uint64_t;
/// Computes out[i] = f(x[i], y[i], z[i]) for i < n. A function of fewer operands does not read the others.
using LaneFn = void (*)(LaneWord* out, const LaneWord* x, const LaneWord* y, const LaneWord* z,
                        std::uint32_t n);

LaneFn lanes_of(ArithOp op, Scalar scalar);
LaneFn lanes_of(IntPredicate predicate, Scalar scalar);
LaneFn lanes_of(FloatPredicate predicate, Scalar scalar);
LaneFn lanes_of(ConvertOp op, Scalar from, Scalar to);
LaneFn lanes_of_bitcast(Scalar from, Scalar to);
LaneFn lanes_of_select(bool condition_is_scalar);
LaneFn lanes_of_copy();

/// True if the op is undefined for x and y: a divisor of 0, the overflow of a signed division, a shift by the
/// width or more.
bool is_undefined(ArithOp op, Scalar scalar, LaneWord x, LaneWord y);
bool may_be_undefined(ArithOp op);

/// The word of a scalar with these bits in memory.
LaneWord word_of_bits(Scalar scalar, std::uint64_t bits);
/// The word of a constant.
LaneWord word_of(Scalar scalar, const std::variant<std::int64_t, double>& value);
/// The value after an atomic read-modify-write of `before`.
LaneWord after_rmw(RmwOp op, Scalar scalar, LaneWord before, LaneWord operand);

}  // namespace tutti::kernels
