// SPDX-License-Identifier: Apache-2.0
// Folds of rows. The tree depends only on the number of columns, on every instruction set. There are 16
// virtual lanes; element i is in lane i % 16. A block has 2 KiB. In a block, vector v of 16 elements is added
// to partial sum v % 4 (v % 2 for 8-byte elements); each partial sum adds 8 vectors in order. Then partial
// sums, blocks and lanes are folded pairwise. An element takes part in at most 13 + log2(blocks) additions,
// which is within the bound
// 2 ceil(log2 columns) for every number of columns (tests/tensor/reduce_rows_test.cpp).
#include <cstring>

#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/reduce_rows.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/chains_inl.hpp"
#include "tutti/tensor/loops/simd/half_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/tree_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

constexpr std::size_t virtual_lanes = 16;
constexpr std::size_t vectors_per_sum = 8;

template <ReduceKind kind, class T>
struct RowFolder {
  using D = hn::CappedTag<T, virtual_lanes>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t parts = virtual_lanes / lanes;
  static constexpr std::size_t sums = 16 / sizeof(T);
  static constexpr std::size_t step = virtual_lanes * sums;
  static constexpr std::size_t block_elements = step * vectors_per_sum;
  static constexpr T neutral = neutral_element<kind, T>();

  /// The 16 virtual lanes.
  struct Lanes {
    TUTTI_INLINE Lanes() {}  // a defaulted one is not compiled for this instruction set
    hn::Vec<D> part[parts];
  };
  struct FoldLanes {
    TUTTI_INLINE Lanes operator()(Lanes a, const Lanes& b) const {
      HWY_UNROLL(4)
      for (std::size_t p = 0; p < parts; ++p) a.part[p] = fold<kind>(a.part[p], b.part[p]);
      return a;
    }
  };

  /// A row in memory.
  struct Stored {
    TUTTI_INLINE void add_step(Lanes* sum, std::size_t first) const { add(sum, elements + first); }
    TUTTI_INLINE const T* rest(std::size_t first, std::size_t, T*) const { return elements + first; }
    const T* elements;
  };
  /// A row that is converted from elements of another type.
  template <class From>
  struct Converted {
    using Element = std::conditional_t<std::integral<From>, From, std::uint16_t>;  // halves are read as bits
    using DFrom = hn::Rebind<Element, D>;
    TUTTI_INLINE void add_step(Lanes* sum, std::size_t first) const {
      HWY_UNROLL(4)
      for (std::size_t s = 0; s < sums; ++s) {
        Lanes v;
        HWY_UNROLL(4)
        for (std::size_t p = 0; p < parts; ++p)
          v.part[p] = converted(hn::LoadU(DFrom(), elements + first + s * virtual_lanes + p * lanes));
        sum[s] = FoldLanes()(sum[s], v);
      }
    }
    TUTTI_INLINE const T* rest(std::size_t first, std::size_t count, T* made) const {
      for (std::size_t i = 0; i < count; i += lanes) {
        const std::size_t left = count - i < lanes ? count - i : lanes;
        hn::StoreU(converted(load_first(DFrom(), elements + first + i, left)), D(), made + i);
      }
      return made;
    }
    static TUTTI_INLINE hn::Vec<D> converted(hn::Vec<DFrom> v) {
      if constexpr (std::integral<From>) return hn::PromoteTo(D(), v);
      else return Widen<From>()(v);
    }
    const Element* elements;
  };
  /// A row that a chain computes.
  struct ComputedRow {
    static constexpr bool four_are_a_step = parts == 1 && sums == 4;
    TUTTI_INLINE void add_step(Lanes* sum, std::size_t first) const {
      if constexpr (four_are_a_step) {
        const auto x = after_steps(in, chain, first, Four<Plain<D>>::zero());
        sum[0].part[0] = fold<kind>(sum[0].part[0], x.low.low.lanes);
        sum[1].part[0] = fold<kind>(sum[1].part[0], x.low.high.lanes);
        sum[2].part[0] = fold<kind>(sum[2].part[0], x.high.low.lanes);
        sum[3].part[0] = fold<kind>(sum[3].part[0], x.high.high.lanes);
      } else {
        HWY_ALIGN T made[step];
        add(sum, rest(first, step, made));
      }
    }
    TUTTI_INLINE const T* rest(std::size_t first, std::size_t count, T* made) const {
      store_steps<Plain<D>>(in, chain, first, count, made);
      return made;
    }
    const std::byte* const* in;
    Steps chain;
  };

  static TUTTI_INLINE void add(Lanes* sum, const T* elements) {
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sums; ++s)
      sum[s] = FoldLanes()(sum[s], all_lanes(elements + s * virtual_lanes));
  }

  template <class Row>
  static T folded(const Row& row, std::size_t columns) {
    HWY_ALIGN T made[virtual_lanes];
    if (columns == 0) return neutral;
    if (columns <= virtual_lanes) return folded_lanes(first_lanes(row.rest(0, columns, made), columns));
    return folded_lanes(folded_blocks(row, columns));
  }

  template <class Row>
  static TUTTI_INLINE Lanes folded_blocks(const Row& row, std::size_t columns) {
    PairwiseStack<Lanes, FoldLanes, 48> stack;
    std::size_t first = 0;
    for (; columns - first > block_elements; first += block_elements)
      stack.push(folded_block(row, first, block_elements));
    return stack.folded_with(folded_block(row, first, columns - first));
  }

  /// Folds 1 to block_elements elements from `first` on.
  template <class Row>
  static HWY_NOINLINE Lanes folded_block(const Row& source, std::size_t first, std::size_t columns) {
    Lanes sum[sums];
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sums; ++s) sum[s] = neutral_lanes();
    for (; columns >= step; columns -= step, first += step) source.add_step(sum, first);
    HWY_ALIGN T made[step];
    const T* row = source.rest(first, columns, made);
    HWY_UNROLL(4)
    for (std::size_t s = 0; s < sums; ++s, row += virtual_lanes) {
      if (columns >= virtual_lanes) {
        sum[s] = FoldLanes()(sum[s], all_lanes(row));
        columns -= virtual_lanes;
      } else if (columns > 0) {
        sum[s] = FoldLanes()(sum[s], first_lanes(row, columns));
        columns = 0;
      }
    }
    return folded_sums(sum);
  }

  static TUTTI_INLINE Lanes folded_sums(const Lanes* sum) {
    const Lanes low = FoldLanes()(sum[0], sum[1]);
    if constexpr (sums == 2) return low;
    else return FoldLanes()(low, FoldLanes()(sum[2], sum[3]));
  }

  /// Folds lane j with lane j + 8, then with j + 4, j + 2 and j + 1.
  static TUTTI_INLINE T folded_lanes(Lanes v) {
    HWY_UNROLL(4)
    for (std::size_t half = parts / 2; half > 0; half /= 2) {
      HWY_UNROLL(2)
      for (std::size_t p = 0; p < half; ++p) v.part[p] = fold<kind>(v.part[p], v.part[p + half]);
    }
    const T folded = folded_halves(D(), v.part[0]);
    if constexpr (kind == ReduceKind::sum) return folded + T{0};  // from +0, as StableHLO's reduce starts
    else return folded;
  }

  template <class DHalves, class V>
  static TUTTI_INLINE T folded_halves(DHalves d, V v) {
    if constexpr (hn::MaxLanes(d) == 1) {
      return hn::GetLane(v);
    } else {
      const hn::Half<DHalves> half;  // the calls are found by ADL: a single lane has no halves
      return folded_halves(half, fold<kind>(LowerHalf(half, v), UpperHalf(half, v)));
    }
  }

  static TUTTI_INLINE Lanes all_lanes(const T* from) {
    Lanes v;
    HWY_UNROLL(4)
    for (std::size_t p = 0; p < parts; ++p) v.part[p] = hn::LoadU(D(), from + p * lanes);
    return v;
  }

  /// Loads the first `count` lanes; the others are neutral.
  static TUTTI_INLINE Lanes first_lanes(const T* from, std::size_t count) {
    Lanes v = neutral_lanes();
    HWY_UNROLL(4)
    for (std::size_t p = 0; p < parts; ++p) {
      if (count <= p * lanes) break;
      const std::size_t here = count - p * lanes < lanes ? count - p * lanes : lanes;
      v.part[p] = hn::IfThenElse(hn::FirstN(D(), here), load_first(D(), from + p * lanes, here), v.part[p]);
    }
    return v;
  }

  static TUTTI_INLINE Lanes neutral_lanes() {
    Lanes v;
    HWY_UNROLL(4)
    for (std::size_t p = 0; p < parts; ++p) v.part[p] = hn::Set(D(), neutral);
    return v;
  }
};

/// The result of a row: one element, or the 16 lanes of a piece.
enum class RowResult { element, lanes };

template <RowResult left, ReduceKind kind, class T, class Row>
TUTTI_INLINE void reduce_row(std::byte* out, std::int64_t row, const Row& source, std::int64_t columns) {
  using Folder = RowFolder<kind, T>;
  auto* folded = reinterpret_cast<T*>(out);
  if constexpr (left == RowResult::element) {
    folded[row] = Folder::folded(source, static_cast<std::size_t>(columns));
  } else {
    const auto v = Folder::folded_blocks(source, static_cast<std::size_t>(columns));
    folded += row * lanes_of_piece;
    for (std::size_t p = 0; p < Folder::parts; ++p)
      hn::StoreU(v.part[p], typename Folder::D(), folded + p * Folder::lanes);
  }
}

template <RowResult left, ReduceKind kind, class T>
void reduce_rows_loop(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes) {
  for (std::int64_t row = 0; row < rows; ++row, in += row_bytes)
    reduce_row<left, kind, T>(out, row, typename RowFolder<kind, T>::Stored{reinterpret_cast<const T*>(in)},
                              columns);
}

template <RowResult left, ReduceKind kind, class T>
void reduce_chain_rows_loop(std::byte* out, const std::byte* const* in, const std::int64_t* row_bytes,
                            const ChainStep* steps, int count, std::int64_t rows, std::int64_t columns) {
  const std::byte* of_row[most_chain_steps];
  for (int s = 0; s < count; ++s) of_row[s] = in[s];
  const typename RowFolder<kind, T>::ComputedRow made{of_row, {steps, count}};
  for (std::int64_t row = 0; row < rows; ++row) {
    reduce_row<left, kind, T>(out, row, made, columns);
    for (int s = 0; s < count; ++s) of_row[s] += row_bytes[s];
  }
}

template <class From, class To>
void reduce_converted_pieces_loop(std::byte* out, const std::byte* in, std::int64_t rows,
                                  std::int64_t columns, std::int64_t row_bytes) {
  using Row = typename RowFolder<ReduceKind::sum, To>::template Converted<From>;
  for (std::int64_t row = 0; row < rows; ++row, in += row_bytes)
    reduce_row<RowResult::lanes, ReduceKind::sum, To>(out, row,
                                                      Row{reinterpret_cast<const typename Row::Element*>(in)},
                                                      columns);
}

/// Sums small integers in i32, twice as many to a vector, as long as no lane can overflow. Sums of integers
/// are the same in any order.
template <class From>
void reduce_small_pieces_loop(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                              std::int64_t row_bytes) {
  constexpr std::int64_t most = 32768 * lanes_of_piece;  // of 2^16 at most
  static_assert(sizeof(From) <= 2);
  auto* sums = reinterpret_cast<std::int64_t*>(out);
  for (std::int64_t row = 0; row < rows; ++row, in += row_bytes, sums += lanes_of_piece) {
    for (std::int64_t lane = 0; lane < lanes_of_piece; ++lane) sums[lane] = 0;
    for (std::int64_t first = 0; first < columns; first += most) {
      std::int32_t some[lanes_of_piece];
      const std::int64_t left = columns - first < most ? columns - first : most;
      reduce_converted_pieces_loop<From, std::int32_t>(reinterpret_cast<std::byte*>(some),
                                                       in + first * std::int64_t{sizeof(From)}, 1, left, 0);
      for (std::int64_t lane = 0; lane < lanes_of_piece; ++lane) sums[lane] += some[lane];
    }
  }
}

template <class From>
ReduceRowsKernel small_pieces_kernel(DType to) {
  if (to == DType::i32) return reduce_converted_pieces_loop<From, std::int32_t>;
  return to == DType::i64 ? reduce_small_pieces_loop<From> : nullptr;
}

ReduceRowsKernel vector_reduce_converted_pieces_kernel(DType from, DType to) {
  switch (from) {
    case DType::u8: return small_pieces_kernel<std::uint8_t>(to);
    case DType::i8: return small_pieces_kernel<std::int8_t>(to);
    case DType::u16: return small_pieces_kernel<std::uint16_t>(to);
    case DType::i16: return small_pieces_kernel<std::int16_t>(to);
    case DType::i32:
      return to == DType::i64 ? reduce_converted_pieces_loop<std::int32_t, std::int64_t> : nullptr;
    case DType::f16: return to == DType::f32 ? reduce_converted_pieces_loop<f16, float> : nullptr;
    case DType::bf16: return to == DType::f32 ? reduce_converted_pieces_loop<bf16, float> : nullptr;
    case DType::boolean:
    case DType::u32:
    case DType::u64:
    case DType::i64:
    case DType::f32:
    case DType::f64:
    case DType::complex64:
    case DType::complex128: return nullptr;
  }
  return nullptr;
}

template <RowResult left>
ReduceChainRowsKernel chain_rows_kernel(ReduceKind kind, DType dtype) {
  const auto of = [&]<class T>(std::type_identity<T>) {
    return for_kind<T>(kind, []<ReduceKind of_kind>() -> ReduceChainRowsKernel {
      return reduce_chain_rows_loop<left, of_kind, T>;
    });
  };
  if (dtype == DType::f32) return of(std::type_identity<float>());
  return dtype == DType::f64 ? of(std::type_identity<double>()) : nullptr;
}

template <RowResult left>
ReduceRowsKernel rows_kernel(ReduceKind kind, Lanes lanes) {
  return for_lanes(lanes, [&]<class T>(std::type_identity<T>) -> ReduceRowsKernel {
    if constexpr (sizeof(T) == 1) return nullptr;
    else
      return for_kind<T>(kind, []<ReduceKind of_kind>() -> ReduceRowsKernel {
        return reduce_rows_loop<left, of_kind, T>;
      });
  });
}

ReduceRowsKernel vector_reduce_rows_kernel(ReduceKind kind, Lanes lanes) {
  return rows_kernel<RowResult::element>(kind, lanes);
}
ReduceRowsKernel vector_reduce_pieces_kernel(ReduceKind kind, Lanes lanes) {
  return rows_kernel<RowResult::lanes>(kind, lanes);
}
ReduceChainRowsKernel vector_reduce_chain_rows_kernel(ReduceKind kind, DType dtype) {
  return chain_rows_kernel<RowResult::element>(kind, dtype);
}
ReduceChainRowsKernel vector_reduce_chain_pieces_kernel(ReduceKind kind, DType dtype) {
  return chain_rows_kernel<RowResult::lanes>(kind, dtype);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_reduce_rows_kernel);
HWY_EXPORT(vector_reduce_chain_rows_kernel);
HWY_EXPORT(vector_reduce_pieces_kernel);
HWY_EXPORT(vector_reduce_chain_pieces_kernel);
HWY_EXPORT(vector_reduce_converted_pieces_kernel);

namespace {

// sum and max are `or`, min and prod are `and`: one byte decides.
template <ReduceKind kind>
void reduce_bool_rows(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes) {
  constexpr int decides = kind == ReduceKind::logical_and ? 0 : 1;
  for (std::int64_t row = 0; row < rows; ++row, in += row_bytes) {
    const bool found = columns > 0 && std::memchr(in, decides, static_cast<std::size_t>(columns)) != nullptr;
    out[row] = static_cast<std::byte>(found == (decides == 1));
  }
}

}  // namespace

ReduceRowsKernel reduce_rows_kernel(ReduceKind kind, DType dtype) {
  const auto lanes = lanes_of_fold(kind, dtype);
  if (!lanes) return scalar_reduce_rows_kernel(kind, dtype);
  if (*lanes != Lanes::boolean) return HWY_DYNAMIC_DISPATCH(vector_reduce_rows_kernel)(kind, *lanes);
  bool is_and = kind == ReduceKind::min || kind == ReduceKind::prod || kind == ReduceKind::logical_and;
  return is_and ? reduce_bool_rows<ReduceKind::logical_and> : reduce_bool_rows<ReduceKind::logical_or>;
}

ReduceChainRowsKernel reduce_chain_rows_kernel(ReduceKind kind, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(vector_reduce_chain_rows_kernel)(kind, dtype);
}

ReduceRowsKernel reduce_pieces_kernel(ReduceKind kind, DType dtype) {
  const auto lanes = lanes_of_fold(kind, dtype);
  return lanes ? HWY_DYNAMIC_DISPATCH(vector_reduce_pieces_kernel)(kind, *lanes) : nullptr;
}

ReduceChainRowsKernel reduce_chain_pieces_kernel(ReduceKind kind, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(vector_reduce_chain_pieces_kernel)(kind, dtype);
}

ReduceRowsKernel reduce_converted_pieces_kernel(DType from, DType to) {
  return HWY_DYNAMIC_DISPATCH(vector_reduce_converted_pieces_kernel)(from, to);
}

}  // namespace tutti
#endif
