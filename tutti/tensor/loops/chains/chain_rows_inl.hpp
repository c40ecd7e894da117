// SPDX-License-Identifier: Apache-2.0
// Folds of rows that a chain computes.
#include <hwy/highway.h>

#include "tutti/tensor/loops/chains/chains_inl.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/folds/row_folder_inl.hpp"

#if defined(TUTTI_TENSOR_CHAIN_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_CHAIN_ROWS_INL_HPP
#undef TUTTI_TENSOR_CHAIN_ROWS_INL_HPP
#else
#define TUTTI_TENSOR_CHAIN_ROWS_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// A row that a chain computes.
template <ReduceKind kind, class T>
struct ComputedRow {
  using Folder = RowFolder<kind, T>;
  using D = typename Folder::D;
  static constexpr bool four_are_a_step = Folder::parts == 1 && Folder::sums == 4;
  TUTTI_INLINE void add_step(typename Folder::Lanes* sum, std::size_t first) const {
    if constexpr (four_are_a_step) {
      const auto x = after_steps(in, chain, first, Four<Plain<D>>::zero());
      sum[0].part[0] = fold<kind>(sum[0].part[0], x.low.low.lanes);
      sum[1].part[0] = fold<kind>(sum[1].part[0], x.low.high.lanes);
      sum[2].part[0] = fold<kind>(sum[2].part[0], x.high.low.lanes);
      sum[3].part[0] = fold<kind>(sum[3].part[0], x.high.high.lanes);
    } else {
      HWY_ALIGN T made[Folder::step];
      Folder::add(sum, rest(first, Folder::step, made));
    }
  }
  TUTTI_INLINE const T* rest(std::size_t first, std::size_t count, T* made) const {
    store_steps<Plain<D>>(in, chain, first, count, made);
    return made;
  }
  const std::byte* const* in;
  Steps chain;
};

template <RowResult left, ReduceKind kind, class T>
void reduce_chain_rows_loop(std::byte* out, const std::byte* const* in, const std::int64_t* row_bytes,
                            const ChainStep* steps, int count, std::int64_t rows, std::int64_t columns) {
  const std::byte* of_row[most_chain_steps];
  for (int s = 0; s < count; ++s) of_row[s] = in[s];
  const ComputedRow<kind, T> made{of_row, {steps, count}};
  for (std::int64_t row = 0; row < rows; ++row) {
    reduce_row<left, kind, T>(out, row, made, columns);
    for (int s = 0; s < count; ++s) of_row[s] += row_bytes[s];
  }
}

template <RowResult left, class T>
ReduceChainRowsKernel chain_rows_of(ReduceKind kind) {
  return for_kind<T>(kind, []<ReduceKind of_kind>() -> ReduceChainRowsKernel {
    return reduce_chain_rows_loop<left, of_kind, T>;
  });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
