// SPDX-License-Identifier: Apache-2.0
// Chains: several element functions in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A step of a chain: x = fn(x, y). y is element i of the step's operand. If it `repeats`, y is the first for
/// every i.
struct alignas(4) ChainStep {  // one load per step
  /// take: y. add: x + y. add_to: y + x; sub_from, mul_into and div_into exchange the operands in the same
  /// way.
  /// square: x * x, without y. limit_if_lt: y if x < y, else x (a gate whose `otherwise` is x).
  enum class Fn : std::uint8_t {
    take,
    add,
    add_to,
    sub,
    sub_from,
    mul,
    mul_into,
    div,
    div_into,
    maximum,
    minimum,
    square,
    limit_if_lt,
    limit_if_le,
    limit_if_gt,
    limit_if_ge
  } fn = Fn::take;
  bool repeats = false;
  /// A chain may put x aside, compute another x, and join the two. put: the step is `take` and puts x aside
  /// first. join: y is the value that was put aside; the step's operand is not read.
  enum class Aside : std::uint8_t { none, put, join } aside = Aside::none;
  bool reads_operand() const { return fn != Fn::square && aside != Aside::join; }
};
constexpr std::size_t most_chain_steps = 16;
bool put_aside(std::span<const ChainStep> steps);
/// Writes out[i] = x after `count` steps. The first step is `take`; step s reads in[s][i]. The bits are those
/// of one kernel per step. `out` may alias an operand that does not repeat, if both begin at the same
/// address.
using ChainKernel = void (*)(std::byte* out, const std::byte* const* in, const ChainStep* steps, int count,
                             std::int64_t n, Store store);
/// A kernel for chains of these `steps` only, or for any chain if `steps` is empty. f16 and bf16 are rounded
/// after each step. Null unless dtype is f16, bf16, f32 or f64; halves have no chains that put x aside.
ChainKernel chain_kernel(DType dtype, std::span<const ChainStep> steps = {});
/// The kernel of chains that put x aside. Null unless dtype is f32 or f64.
ChainKernel chain_with_aside_kernel(DType dtype);
/// Runs a chain on each row. From row to row `out` advances by out_row_bytes and operand s by row_bytes[s];
/// an operand that repeats has one element per row. The bits are those of ChainKernel.
using ChainByRowsKernel = void (*)(std::byte* out, std::int64_t out_row_bytes, const std::byte* const* in,
                                   const std::int64_t* row_bytes, const ChainStep* steps, int count,
                                   std::int64_t rows, std::int64_t columns, Store store);
/// Null unless dtype is f32 or f64. Its chains do not put x aside.
ChainByRowsKernel chain_by_rows_kernel(DType dtype);
/// The step that computes fn(x, y), or fn(y, x) if x_is_right. None if chains do not have the function.
std::optional<ChainStep::Fn> chain_fn(BinaryFn fn, bool x_is_right);
/// The step that computes a gate whose `otherwise` is x. None for eq and ne.
std::optional<ChainStep::Fn> chain_fn(CompareDirection gate);

}  // namespace tutti
