// SPDX-License-Identifier: Apache-2.0
// Folds of rows in memory.
#include <cstring>

#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/folds/reduce_rows.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/folds/row_folder_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <RowResult left, ReduceKind kind, class T>
void reduce_rows_loop(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes) {
  for (std::int64_t row = 0; row < rows; ++row, in += row_bytes)
    reduce_row<left, kind, T>(out, row, typename RowFolder<kind, T>::Stored{reinterpret_cast<const T*>(in)},
                              columns);
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

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_reduce_rows_kernel);
HWY_EXPORT(vector_reduce_pieces_kernel);
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

ReduceRowsKernel reduce_pieces_kernel(ReduceKind kind, DType dtype) {
  const auto lanes = lanes_of_fold(kind, dtype);
  return lanes ? HWY_DYNAMIC_DISPATCH(vector_reduce_pieces_kernel)(kind, *lanes) : nullptr;
}

ReduceRowsKernel reduce_converted_pieces_kernel(DType from, DType to) {
  return HWY_DYNAMIC_DISPATCH(vector_reduce_converted_pieces_kernel)(from, to);
}

}  // namespace tutti
#endif
