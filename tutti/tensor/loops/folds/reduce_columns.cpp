// SPDX-License-Identifier: Apache-2.0
// Folds of columns: eight rows are folded at a time, and these blocks pairwise. A subtree that waits for its
// partner is a line of columns in scratch, one line for each height.
#include <bit>
#include <type_traits>

#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/folds/reduce_columns.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/folds/tree_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// Bytes of a line of columns: the lines in scratch stay in L1, and each row is read one page at a time.
constexpr std::size_t column_line_bytes = 4096;

/// Rows that lie `row_bytes` apart.
template <class D>
struct Rows {
  TUTTI_INLINE hn::Vec<D> at(std::size_t row, std::size_t i) const {
    return hn::LoadU(D(), elements(row) + i);
  }
  TUTTI_INLINE hn::Vec<D> at(std::size_t row, std::size_t i, std::size_t count) const {
    return load_first(D(), elements(row) + i, count);
  }
  TUTTI_INLINE const Element<D>* elements(std::size_t row) const {
    return reinterpret_cast<const Element<D>*>(first + static_cast<std::int64_t>(row) * row_bytes);
  }

  const std::byte* first;
  std::int64_t row_bytes;
};

/// The fold of a block of rows, merged with the `merges` topmost waiting subtrees, whose rows come before the
/// block.
template <ReduceKind kind, class D>
struct FoldedBlock {
  template <class... Place>
  TUTTI_INLINE hn::Vec<D> at(Place... place) const {
    hn::Vec<D> v = tree<kind, block_rows>(rows, 0, place...);
    for (std::size_t level = height; level > height - merges; --level)
      v = fold<kind>(waiting.at(level - 1, place...), v);
    return v;
  }

  Rows<D> rows, waiting;
  std::size_t height, merges;
};

/// The fold of the last block, which may have fewer rows, merged with all waiting subtrees.
template <ReduceKind kind, class D>
struct FoldedLast {
  template <class... Place>
  TUTTI_INLINE hn::Vec<D> at(Place... place) const {
    hn::Vec<D> v = tree_of_block<kind>(D(), count, rows, 0, place...);
    for (std::size_t level = height; level > 0; --level) v = fold<kind>(waiting.at(level - 1, place...), v);
    return v;
  }

  Rows<D> rows, waiting;
  std::size_t count, height;
};

/// Adds +0 to a sum, because StableHLO's reduce starts from +0.
template <ReduceKind kind>
struct Finish {
  template <class V>
  TUTTI_INLINE V operator()(V v) const {
    if constexpr (kind == ReduceKind::sum) return hn::Add(v, hn::Zero(hn::DFromV<V>()));
    else return v;
  }
};

template <ReduceKind kind, class D>
void reduce_line(std::byte* out, const std::byte* in, std::size_t rows, std::size_t columns,
                 std::int64_t row_bytes, std::byte* scratch) {
  const Rows<D> waiting{scratch, column_line_bytes};
  std::size_t height = 0, row = 0;
  for (std::size_t block = 0; row + block_rows < rows; ++block, row += block_rows) {
    const Rows<D> start{in + static_cast<std::int64_t>(row) * row_bytes, row_bytes};
    const auto merges = hwy::Num0BitsBelowLS1Bit_Nonzero64(~block);
    const FoldedBlock<kind, D> folded{start, waiting, height, merges};
    height = height - merges + 1;
    map_singly(D(), 0, columns, Result<D>(scratch + (height - 1) * column_line_bytes), Same(), folded);
  }
  const Rows<D> start{in + static_cast<std::int64_t>(row) * row_bytes, row_bytes};
  const FoldedLast<kind, D> last{start, waiting, rows - row, height};
  map_singly(D(), 0, columns, Result<D>(out), Finish<kind>(), last);
}

template <ReduceKind kind, class T>
void reduce_columns_loop(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                         std::int64_t row_bytes, std::byte* scratch) {
  using Value = std::conditional_t<std::is_same_v<T, std::uint8_t>, bool, T>;
  constexpr auto neutral = static_cast<T>(neutral_element<kind, Value>());
  if (rows <= 0) return fill(out, reinterpret_cast<const std::byte*>(&neutral), columns, sizeof(T));
  constexpr std::int64_t line = column_line_bytes / sizeof(T);
  for (std::int64_t c = 0; c < columns; c += line) {
    const std::int64_t offset = c * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t width = columns - c < line ? columns - c : line;
    reduce_line<kind, hn::ScalableTag<T>>(out + offset, in + offset, static_cast<std::size_t>(rows),
                                          static_cast<std::size_t>(width), row_bytes, scratch);
  }
}

ReduceColumnsKernel vector_reduce_columns_kernel(ReduceKind kind, Lanes lanes) {
  // A bool is a byte 0 or 1: max is `or`, min and prod are `and`.
  if (lanes == Lanes::boolean && kind == ReduceKind::sum) kind = ReduceKind::max;
  return for_lanes(lanes, [&]<class T>(std::type_identity<T>) {
    return for_kind<T>(kind, []<ReduceKind of_kind>() -> ReduceColumnsKernel {
      return reduce_columns_loop<of_kind, T>;
    });
  });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_reduce_columns_kernel);

ReduceColumnsKernel reduce_columns_kernel(ReduceKind kind, DType dtype) {
  if (const auto lanes = lanes_of_fold(kind, dtype))
    return HWY_DYNAMIC_DISPATCH(vector_reduce_columns_kernel)(kind, *lanes);
  return scalar_reduce_columns_kernel(kind, dtype);
}

std::size_t reduce_columns_scratch_bytes(std::int64_t rows, std::int64_t columns, DType) {
  if (rows <= 0 || columns <= 0) return 0;
  const auto blocks_before_last = (static_cast<std::size_t>(rows) - 1) / HWY_NAMESPACE::block_rows;
  return static_cast<std::size_t>(std::bit_width(blocks_before_last)) * HWY_NAMESPACE::column_line_bytes;
}

}  // namespace tutti
#endif
