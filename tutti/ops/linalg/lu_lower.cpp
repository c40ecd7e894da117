// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/lu_lower.hpp"

#include <algorithm>
#include <limits>

#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linalg/lower_loop.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti::ops {
namespace {

/// The first row at or below k with the largest size of an element; k if one is NaN.
/// column: [.., m, 1] -> i32 [.., 1, 1].
Array pivot_in(const Array& column, const Array& k) {
  const Array row = row_numbers(column), below = row >= k;
  const Array size = select(below, one_norms(column), -std::numeric_limits<double>::infinity());
  const Array largest = expand_dims(reduce_max(size, -2), -2);
  const auto m = static_cast<std::int32_t>(column.dim(-2));
  const Array first = reduce_min(select(below & equal(size, largest), row, m), -2);
  return expand_dims(select(first < m, first, k), -2);
}

/// Rows k and `pivot` of x swapped. A sum with zeros finds the row of each matrix.
Array with_swapped_rows(const Array& x, const Array& k, const Array& pivot) {
  const Array row = row_numbers(x), is_pivot = equal(row, pivot);
  const Array of_pivot = expand_dims(reduce_sum(select(is_pivot, x, zeros_of(x.type())), -2), -2);
  const Array of_k = dynamic_slice_in_dim(x, k, 1, -2);
  return select(equal(row, k), of_pivot, select(is_pivot, of_k, x));
}

/// Column k below the diagonal divided by the element on it, and its product with row k taken away from the
/// rest. A zero divides nothing.
Array eliminated(const Array& a, const Array& k) {
  const Array row = dynamic_slice_in_dim(a, k, 1, -2), column = dynamic_slice_in_dim(a, k, 1, -1);
  const Array pivot = dynamic_slice_in_dim(row, k, 1, -1), is_zero = equal(pivot, 0);
  const Array factors = select(is_zero, column, column / select(is_zero, 1, pivot));
  const Array below = row_numbers(a) > k, at = column_numbers(a);
  return select(below & (at > k), a - factors * row, select(below & equal(at, k), factors, a));
}

/// Step k on all elements. a: [.., m, n], pivots: i32 [.., 1, count], rows: i32 [.., m, 1].
Arrays step(const Array& k, const Array& a, const Array& pivots, const Array& rows) {
  const Array pivot = pivot_in(dynamic_slice_in_dim(a, k, 1, -1), k);
  return {eliminated(with_swapped_rows(a, k, pivot), k),
          select(equal(column_numbers(pivots), k), pivot, pivots), with_swapped_rows(rows, k, pivot)};
}

}  // namespace

Lowered lower_lu(Emitter& emitter, stablehlo::Value a) {
  const Type of_a = emitter.operand_types()[0].with(AxisStates{});
  const Matrices matrices = matrices_of(of_a);
  const std::int64_t count = std::min(matrices.rows, matrices.columns);
  const Type of_pivots(DType::i32, with_last_dims(of_a.shape(), {1, count}));
  const Type of_rows(DType::i32, with_last_dims(of_a.shape(), {matrices.rows, 1}));
  const auto start = [&](const Arrays&) {
    return Arrays{zeros_of(of_pivots), iota(of_rows.shape(), DType::i32, -2)};
  };
  const auto all = [](const Arrays& x) { return step(x[0], x[1], x[2], x[3]); };
  const auto flat = [](const Arrays& x) {
    return Arrays{reshape(x[0], x[0].shape().erased(Dim{x[0].rank() - 2})),
                  reshape(x[1], x[1].shape().erased(Dim{x[1].rank() - 1}))};
  };
  const Lowered made = lower_function(emitter, {}, start, {});
  Lowered found{a, made[0], made[1]};
  if (of_a.elements() > 0) found = lower_counted(emitter, count, {of_a, of_pivots, of_rows}, all, found);
  const Lowered lines = lower_function(emitter, {of_pivots, of_rows}, flat, {found[1], found[2]});
  return {found[0], lines[0], lines[1]};
}

}  // namespace tutti::ops
