// SPDX-License-Identifier: Apache-2.0
// Writes arithmetic on registers. Values of 8 and 16 bits have undefined upper bits unless they are extended.
#pragma once

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/ptx/ptx_writer.hpp"

namespace tutti::kernels {

/// How an integer of less than 32 bits fills a register. Extension::signs makes an i1 0 or -1.
enum class Extension : std::uint8_t { none, zeros, signs };
/// Returns the extension that an operation needs for its operands; none if the upper bits do not matter.
Extension needs_sign(ArithOp op);

/// Extends an integer of type `scalar` to 32 bits; returns integers of 32 and 64 bits unchanged.
std::string extended(PtxWriter& out, Extension extension, Scalar scalar, std::string_view x);

/// Writes op(x, y); x and y are registers of type `scalar`. Floats are not contracted; max and min return NaN
/// if x or y is NaN. f16 and bf16 are computed in f32 and rounded back, which equals one rounding: f32 has at
/// least 2 p + 2 bits of precision, where p is theirs (Figueroa 1995).
std::string combined(PtxWriter& out, ArithOp op, Scalar scalar, std::string_view x, std::string_view y);
/// Writes op(x, y) for integers; x and y are registers or numbers, already extended as needs_sign() requires.
std::string of_integers(PtxWriter& out, ArithOp op, RegisterKind kind, std::string_view x,
                        std::string_view y);

std::string as_f32(PtxWriter& out, Scalar scalar, std::string_view x);    // x is an f16, bf16 or f32
std::string from_f32(PtxWriter& out, Scalar scalar, std::string_view x);  // rounds to even

}  // namespace tutti::kernels
