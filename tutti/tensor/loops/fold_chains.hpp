// SPDX-License-Identifier: Apache-2.0
// A fold over positions, and what chains make of it, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// What is made of a sum over positions: out[r][i] = x for every result r, after steps that begin from nothing. A step
/// reads the sum of the terms at i, one element for all i and r, or an element that each result has at i.
struct FoldStep {
  enum class Of : std::uint8_t { fold, one, each } of;
  ChainStep::Fn fn;  // take: of the first
};
/// `in`: an element for each of `on_fold`, with which the sum goes on before a step reads it; then what `steps` read:
/// nothing for the fold, one pointer for one, a pointer per result for each.
struct FoldChain {
  const ChainStep::Fn* on_fold;
  int on_folds;
  const FoldStep* steps;
  int count, results, terms;
};
/// The same bits as the fold, its steps and a chain for each result, but in one pass. n: a multiple of
/// fold_chain_elements. Any result may be equal to any term or operand of `each`, if it is read at the same i only.
using FoldChainKernel = void (*)(const FoldChain& chain, std::byte* const* out, const std::byte* const* terms,
                                 const std::byte* const* in, std::int64_t n, Load load, Store store);
constexpr std::int64_t fold_chain_elements = 256;  // of a result at once, where registers are most and widest
/// Null but for f32 and f64, and 1, 2, 4 or 8 results.
FoldChainKernel fold_chain_kernel(DType dtype, int results);

}  // namespace tutti
