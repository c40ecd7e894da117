// SPDX-License-Identifier: Apache-2.0
// Kernels of chains: several element functions in one pass (bench/kernels has the times).
#include <hwy/highway.h>
#include <type_traits>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/chains/chains_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"

#if defined(TUTTI_TENSOR_CHAIN_LOOPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_CHAIN_LOOPS_INL_HPP
#undef TUTTI_TENSOR_CHAIN_LOOPS_INL_HPP
#else
#define TUTTI_TENSOR_CHAIN_LOOPS_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// The vectors of one iteration. Floats fill the registers that a function leaves free, because the switch
/// over the step then serves more elements. Halves take four vectors: rounding costs them more than the
/// switch.
template <class Format>
using Many = std::conditional_t<
    Format::rounds, Four<Format>,
    std::conditional_t<HWY_TARGET <= HWY_AVX3, Twice<Twice<Four<Format>>>, Twice<Four<Format>>>>;

template <class Format>
constexpr ChainKernel any_chain = chain_loop<Many<Format>, Steps>;

/// Four vectors of one row, and of several rows. The switch over the step then serves all of them.
template <class F>
struct OneRow {
  using Format = F;
  static constexpr std::size_t rows = 1;
  static TUTTI_INLINE OneRow zero() { return {Four<Format>::zero()}; }
  template <class Y, class Fn>
  TUTTI_INLINE OneRow with(const Y& y, const Fn& fn) const {
    return {lanes.with(y.row(), fn)};
  }
  TUTTI_INLINE void store(std::byte* to, std::int64_t) const {
    lanes.store(reinterpret_cast<typename Format::Stored*>(to));
  }
  Four<Format> lanes;
};
template <class Half>
struct TwiceTheRows {
  using Format = typename Half::Format;
  static constexpr std::size_t rows = 2 * Half::rows;
  static TUTTI_INLINE TwiceTheRows zero() { return {Half::zero(), Half::zero()}; }
  template <class Y, class Fn>
  TUTTI_INLINE TwiceTheRows with(const Y& y, const Fn& fn) const {
    return {low.with(y, fn), high.with(y.after_rows(Half::rows), fn)};
  }
  TUTTI_INLINE void store(std::byte* to, std::int64_t row_bytes) const {
    low.store(to, row_bytes);
    high.store(to + std::int64_t{Half::rows} * row_bytes, row_bytes);
  }
  Half low, high;
};
/// The number of rows that fit in registers together with an operand.
template <class Format>
using ManyRows = std::conditional_t<HWY_TARGET <= HWY_AVX3, TwiceTheRows<TwiceTheRows<OneRow<Format>>>,
                                    TwiceTheRows<OneRow<Format>>>;

/// An operand of several rows, from one element of the first row on.
template <class Operand>
struct OperandOfRows {
  TUTTI_INLINE Operand row() const { return Operand::at(from); }
  TUTTI_INLINE OperandOfRows after_rows(std::size_t rows) const {
    return {from + static_cast<std::int64_t>(rows) * row_bytes, row_bytes};
  }
  const std::byte* from;
  std::int64_t row_bytes;
};

/// Runs the steps on four vectors of several rows.
template <class Rows>
TUTTI_INLINE Rows after_steps_of_rows(const std::byte* const* in, const std::int64_t* row_bytes, Steps chain,
                                      std::size_t byte, Rows x) {
  using Format = typename Rows::Format;
  for (int s = 0; s < chain.count; ++s) {
    const ChainStep step = chain.steps[s];
    x = step.repeats ? after(step.fn, x, OperandOfRows<Repeated<Format>>{in[s], row_bytes[s]})
                     : after(step.fn, x, OperandOfRows<Elements<Format>>{in[s] + byte, row_bytes[s]});
  }
  return x;
}

template <class Format>
void chain_by_rows_loop(std::byte* out, std::int64_t out_row_bytes, const std::byte* const* in,
                        const std::int64_t* row_bytes, const ChainStep* steps, int count, std::int64_t rows,
                        std::int64_t columns, Store store) {
  using Rows = ManyRows<Format>;
  constexpr std::int64_t many = Rows::rows;
  const std::size_t lanes = hn::Lanes(typename Format::D()), n = static_cast<std::size_t>(columns);
  const bool is_short = n < Many<Format>::vectors * lanes && n % (4 * lanes) == 0;
  const std::byte* at[most_chain_steps];
  for (int s = 0; s < count; ++s) at[s] = in[s];
  const auto go_on = [&](std::int64_t done) HWY_ATTR {
    for (int s = 0; s < count; ++s) at[s] += done * row_bytes[s];
    out += done * out_row_bytes;
  };
  for (; is_short && store == Store::plain && rows >= many; rows -= many, go_on(many))
    for (std::size_t byte = 0; byte < n * sizeof(typename Format::Stored);
         byte += 4 * lanes * sizeof(typename Format::Stored))
      after_steps_of_rows(at, row_bytes, {steps, count}, byte, Rows::zero()).store(out + byte, out_row_bytes);
  for (; rows > 0; --rows, go_on(1)) any_chain<Format>(out, at, steps, count, columns, store);
}

// A loop for two given functions, the most frequent chain. chain_loop takes 1.2 times as long.
template <class T, ChainStep::Fn first, ChainStep::Fn second, Stride a, Stride b, Stride c>
void pair_loop(std::byte* out, const std::byte* const* in, const ChainStep*, int, std::int64_t n,
               Store store) {
  using D = hn::ScalableTag<T>;
  const auto both = [](auto x, auto y, auto z)
                        HWY_ATTR { return ApplyStep<second>()(ApplyStep<first>()(x, y), z); };
  map(D(), n, StreamableResult<D>(out, store), both, Operand<a, D>(in[0]), Operand<b, D>(in[1]),
      Operand<c, D>(in[2]));
}

template <class T, ChainStep::Fn first, ChainStep::Fn second, Stride c>
ChainKernel pair_with_last(const ChainStep* steps) {
  if (steps[0].repeats && steps[1].repeats) return nullptr;
  if (steps[0].repeats) return pair_loop<T, first, second, Stride::scalar, Stride::dense, c>;
  return steps[1].repeats ? pair_loop<T, first, second, Stride::dense, Stride::scalar, c>
                          : pair_loop<T, first, second, Stride::dense, Stride::dense, c>;
}

template <class T, ChainStep::Fn first, ChainStep::Fn second>
ChainKernel pair_of(const ChainStep* steps) {
  return steps[2].repeats ? pair_with_last<T, first, second, Stride::scalar>(steps)
                          : pair_with_last<T, first, second, Stride::dense>(steps);
}

template <class T, ChainStep::Fn first>
ChainKernel pair_with(const ChainStep* steps) {
  using enum ChainStep::Fn;
  if (steps[2].fn == add) return pair_of<T, first, add>(steps);
  if (steps[2].fn == add_to) return pair_of<T, first, add_to>(steps);
  if (steps[2].fn == sub) return pair_of<T, first, sub>(steps);
  if (steps[2].fn == sub_from) return pair_of<T, first, sub_from>(steps);
  if (steps[2].fn == mul) return pair_of<T, first, mul>(steps);
  if (steps[2].fn == mul_into) return pair_of<T, first, mul_into>(steps);
  return nullptr;
}

template <class T>
ChainKernel chain_of(Steps chain) {
  using enum ChainStep::Fn;
  ChainKernel pair = nullptr;
  if (chain.count == 3) {
    const ChainStep::Fn first = chain.steps[1].fn;
    if (first == add) pair = pair_with<T, add>(chain.steps);
    if (first == sub) pair = pair_with<T, sub>(chain.steps);
    if (first == mul) pair = pair_with<T, mul>(chain.steps);
  }
  return pair ? pair : any_chain<Plain<hn::ScalableTag<T>>>;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
