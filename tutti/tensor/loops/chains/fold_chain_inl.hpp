// SPDX-License-Identifier: Apache-2.0
// Kernels of fold chains: a sum over positions and the chains that read the sum, in one pass. Terms are read
// while results are written; this keeps the memory busier than a tile of reads and then a tile of writes.
#include <hwy/highway.h>
#include <type_traits>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/chains/chains_inl.hpp"
#include "tutti/tensor/loops/fold_chains.hpp"
#include "tutti/tensor/loops/folds/positions_inl.hpp"

#if defined(TUTTI_TENSOR_FOLD_CHAIN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_FOLD_CHAIN_INL_HPP
#undef TUTTI_TENSOR_FOLD_CHAIN_INL_HPP
#else
#define TUTTI_TENSOR_FOLD_CHAIN_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// Vectors per iteration, of all results together. They take half of the registers; the fold uses others.
constexpr std::size_t at_once = HWY_TARGET <= HWY_AVX3 ? 16 : 8;

template <class Format, std::size_t count>
struct VectorsOf {
  using Type = Twice<typename VectorsOf<Format, count / 2>::Type>;
};
template <class Format>
struct VectorsOf<Format, 1> {
  using Type = Whole<Format>;
};

template <class Vectors>
TUTTI_INLINE auto vector_at(const Vectors& v, std::size_t k) {
  constexpr std::size_t half = Vectors::vectors / 2;
  if constexpr (half == 0) return v.lanes;
  else return k < half ? vector_at(v.low, k) : vector_at(v.high, k - half);
}

/// The fold as an operand, from element i on.
template <class Folded>
struct FoldFrom {
  TUTTI_INLINE auto first() const { return folded.at(i); }
  TUTTI_INLINE FoldFrom after(std::size_t vectors) const { return {folded, i + vectors * lanes, lanes}; }
  const Folded& folded;
  std::size_t i, lanes;
};

/// The vectors of the fold as an operand, the same for every result.
template <class Vectors>
struct ForAll {
  TUTTI_INLINE auto first() const { return vector_at(fold, k % Vectors::vectors); }
  TUTTI_INLINE ForAll after(std::size_t vectors) const { return {fold, k + vectors}; }
  const Vectors& fold;
  std::size_t k;
};

/// An operand that differs per result, from element i on: `each` vectors of result 0, then `each` of result
/// 1, ..
template <class Format, std::size_t each>
struct OfEach {
  TUTTI_INLINE auto first() const {
    const auto* from = reinterpret_cast<const typename Format::Stored*>(operands[k / each]);
    return Format::load(from + i + k % each * hn::Lanes(typename Format::D()));
  }
  TUTTI_INLINE OfEach after(std::size_t vectors) const { return {operands, i, k + vectors}; }
  const std::byte* const* operands;
  std::size_t i, k;
};

template <std::size_t each, class Vectors>
TUTTI_INLINE void store_results(const Vectors& x, std::byte* const* out, std::size_t i, bool streams,
                                std::size_t k = 0) {
  using Format = typename Vectors::Format;
  if constexpr (Vectors::vectors > each) {
    store_results<each>(x.low, out, i, streams, k);
    store_results<each>(x.high, out, i, streams, k + Vectors::vectors / 2);
  } else {
    auto* to = reinterpret_cast<typename Format::Stored*>(out[k / each]) + i;
    if (streams) x.stream(to);
    else x.store(to);
  }
}

template <class Vectors, class D, class P>
TUTTI_INLINE Vectors folded_vectors(const P& positions, std::size_t count, std::size_t i) {
  return with_folded<ReduceKind::sum, D>(positions, count, [&](const auto& folded) HWY_ATTR {
    return Vectors::zero().with(FoldFrom<std::remove_cvref_t<decltype(folded)>>{folded, i, hn::Lanes(D())},
                                ApplyStep<ChainStep::Fn::take>());
  });
}

template <class T, std::size_t results>
void fold_chain_loop(const FoldChain& chain, std::byte* const* out, const std::byte* const* terms,
                     const std::byte* const* in, std::int64_t n, Load load, Store store) {
  using D = hn::ScalableTag<T>;
  using Format = Plain<D>;
  constexpr std::size_t each = at_once / results;
  static_assert(fold_chain_elements % (each * hn::MaxLanes(D())) == 0);
  using Fold = typename VectorsOf<Format, each>::Type;
  using All = typename VectorsOf<Format, at_once>::Type;
  const auto one = [](const std::byte* at)
                       HWY_ATTR { return Repeated<Format>{Format::all(*reinterpret_cast<const T*>(at))}; };
  bool streams = store == Store::streaming;
  for (std::size_t r = 0; r < results; ++r) streams = streams && is_on_line(out[r]);
  const Positions<D> positions(terms, load);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); i += each * hn::Lanes(D())) {
    const std::byte* const* operand = in;
    Fold fold = folded_vectors<Fold, D>(positions, static_cast<std::size_t>(chain.terms), i);
    for (int s = 0; s < chain.on_folds; ++s) fold = after(chain.on_fold[s], fold, one(*operand++));
    All x = All::zero();
    for (const FoldStep* step = chain.steps; step < chain.steps + chain.count; ++step) {
      switch (step->of) {
        case FoldStep::Operand::fold: x = after(step->fn, x, ForAll<Fold>{fold, 0}); break;
        case FoldStep::Operand::one: x = after(step->fn, x, one(*operand++)); break;
        case FoldStep::Operand::each:
          x = after(step->fn, x, OfEach<Format, each>{operand, i, 0});
          operand += results;
          break;
      }
    }
    store_results<each>(x, out, i, streams);
  }
}

template <class T>
FoldChainKernel fold_chain_of(int results) {
  switch (results) {
    case 1: return fold_chain_loop<T, 1>;
    case 2: return fold_chain_loop<T, 2>;
    case 4: return fold_chain_loop<T, 4>;
    case 8: return fold_chain_loop<T, 8>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
