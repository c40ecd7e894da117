// SPDX-License-Identifier: Apache-2.0
// The arithmetic of PTX on the bits of registers.
#pragma once

#include "tests/kernels/ptx_program.hpp"

namespace tutti::kernels {

/// The low bits of a register, extended to 64 bits by the sign of a signed type.
std::uint64_t as_typed(std::uint64_t bits, PtxType type);
std::uint64_t converted(const PtxInstruction& instruction, std::uint64_t x);
/// The result of add, sub, mul, mul_wide, div, rem, min, max, and, or, xor, shl, shr.
std::uint64_t computed(const PtxInstruction& instruction, std::uint64_t x, std::uint64_t y);
bool compared(const PtxInstruction& instruction, std::uint64_t x, std::uint64_t y);
std::uint64_t permuted(std::uint64_t x, std::uint64_t y, std::uint64_t selector);
/// The memory after an atomic operation on `before`.
std::uint64_t exchanged(const PtxInstruction& instruction, std::uint64_t before, std::uint64_t operand);

}  // namespace tutti::kernels
