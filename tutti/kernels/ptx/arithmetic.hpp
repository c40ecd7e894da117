// SPDX-License-Identifier: Apache-2.0
// Arithmetic on registers. Values of 8 and 16 bits have undefined upper bits unless they are extended.
#pragma once

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/ptx/ptx_writer.hpp"

namespace tutti::kernels {

/// How an integer below 32 bits fills a register. An i1 extended by signs is 0 or -1.
enum class Extension : std::uint8_t { none, zeros, signs };
/// The extension that an operation needs of its operands; none: the upper bits do not matter.
Extension needs_sign(ArithOp op);

/// An integer of 32 bits from one of `scalar`; one of 32 or 64 bits as it is.
std::string extended(PtxWriter& out, Extension extension, Scalar scalar, std::string_view x);

/// Both are registers of `scalar`. Floats are not contracted; NaN wins in max and min. f16 and bf16 are computed in f32
/// and rounded back, which gives the bits of one rounding (f32 has more than twice their precision).
std::string combined(PtxWriter& out, ArithOp op, Scalar scalar, std::string_view x, std::string_view y);
/// x and y are registers or numbers, extended as needs_sign() says.
std::string of_integers(PtxWriter& out, ArithOp op, RegisterKind kind, std::string_view x,
                        std::string_view y);

std::string as_f32(PtxWriter& out, Scalar scalar, std::string_view x);    // of f16, bf16 or f32
std::string from_f32(PtxWriter& out, Scalar scalar, std::string_view x);  // rounds to even

}  // namespace tutti::kernels
