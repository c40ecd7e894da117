// SPDX-License-Identifier: Apache-2.0
// Fold chains: a sum over positions and the chains that read this sum, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// A step of a fold chain: x = fn(x, y). After the last step out[r][i] = x, for every result r. `of` says
/// what y is.
/// fold: the sum of the terms at i. one: one element for all i and r. each: element i of an operand that only
/// r has.
struct FoldStep {
  enum class Operand : std::uint8_t { fold, one, each } of;
  ChainStep::Fn fn;  // of the first step: take
};
/// A sum of `terms` terms, functions `on_fold` of the sum and one element each, and steps that read their
/// result.
/// A kernel's `in` begins with the elements of `on_fold`, one pointer each. Then follow the operands of the
/// steps: none for Operand::fold, one pointer for Operand::one, one pointer per result for Operand::each.
struct FoldChain {
  const ChainStep::Fn* on_fold;
  int on_folds;
  const FoldStep* steps;
  int count, results, terms;
};
/// Computes a fold chain for n elements, a multiple of fold_chain_elements. The bits are those of the fold,
/// `on_fold` and one chain per result, each in its own pass. A result may alias a term or an operand of
/// Operand::each, if both begin at the same address.
using FoldChainKernel = void (*)(const FoldChain& chain, std::byte* const* out, const std::byte* const* terms,
                                 const std::byte* const* in, std::int64_t n, Load load, Store store);
constexpr std::int64_t fold_chain_elements = 256;  // of one result at a time: 16 vectors of 16 f32 (AVX-512)
/// Null unless dtype is f32 or f64, and results is 1, 2, 4 or 8.
FoldChainKernel fold_chain_kernel(DType dtype, int results);

}  // namespace tutti
