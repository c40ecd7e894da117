// SPDX-License-Identifier: Apache-2.0
// Ops of kernels on lanes that lie flat: one word of 64 bits per lane. An integer is sign-extended, i1 is 0 or 1, a float
// is its bits, a pointer is its address.
#pragma once

#include <cstdint>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

using LaneWord = std::uint64_t;
/// out[i] = f(x[i], y[i], z[i]) for i < n. An op of fewer operands does not touch the others.
using LaneFn = void (*)(LaneWord* out, const LaneWord* x, const LaneWord* y, const LaneWord* z,
                        std::uint32_t n);

LaneFn lanes_of(ArithOp op, Scalar scalar);
LaneFn lanes_of(IntPredicate predicate, Scalar scalar);
LaneFn lanes_of(FloatPredicate predicate, Scalar scalar);
LaneFn lanes_of(ConvertOp op, Scalar from, Scalar to);
LaneFn lanes_of_bitcast(Scalar from, Scalar to);
LaneFn lanes_of_select(bool condition_is_scalar);
LaneFn lanes_of_splat();
LaneFn lanes_of_copy();

/// True if y[i] makes the op undefined: a divisor of 0, the overflow of a signed division, a shift by the width or more.
bool is_undefined(ArithOp op, Scalar scalar, LaneWord x, LaneWord y);
bool may_be_undefined(ArithOp op);

/// A value of memory as a word, and back: `bytes` of its bits.
LaneWord word_of_bits(Scalar scalar, std::uint64_t bits);
/// The word of a constant.
LaneWord word_of(Scalar scalar, const std::variant<std::int64_t, double>& value);
/// The value before and after an atomic read-modify-write.
LaneWord after_rmw(RmwOp op, Scalar scalar, LaneWord before, LaneWord operand);

}  // namespace tutti::kernels
