// SPDX-License-Identifier: Apache-2.0
// Several functions of elements in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A step of a chain: x becomes fn of itself and y, which is an element of an operand, or the first for every i.
struct ChainStep {
  /// take: y; add_to: y + x, and so on; square: x * x, whatever y is; limit_if_*: y where x stands so to it, a gate
  /// with x itself.
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
};
constexpr std::size_t most_chain_steps = 8;
/// out[i] = x after `count` steps, of which the first takes in[0][i] and step s reads in[s][i]: the same bits as kernel
/// after kernel. `out` may be equal to an operand that does not repeat.
using ChainKernel = void (*)(std::byte* out, const std::byte* const* in, const ChainStep* steps, int count,
                             std::int64_t n, Store store);
/// One for chains of these steps only, or of any without them. Null but for floats; f16 and bf16 are rounded after each
/// step.
ChainKernel chain_kernel(DType dtype, std::span<const ChainStep> steps = {});
/// The step that a function of x and another operand is; none if there is none.
std::optional<ChainStep::Fn> chain_fn(BinaryFn fn, bool x_is_right);
/// The step that a gate is whose `otherwise` is x itself.
std::optional<ChainStep::Fn> chain_fn(CompareDirection gate);

}  // namespace tutti
