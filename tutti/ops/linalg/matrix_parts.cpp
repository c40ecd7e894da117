// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/matrix_parts.hpp"

#include <algorithm>
#include <iterator>

#include "tutti/base/require.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/tensor/linalg/lapack.hpp"

namespace tutti {
namespace {

/// Where the column number minus the row number is compared with 0.
Array is_kept(const Shape& shape, Kept kept) {
  const Array row = iota(shape, DType::i64, -2), column = iota(shape, DType::i64, -1);
  switch (kept) {
    case Kept::below_diagonal: return column < row;
    case Kept::diagonal: return equal(column, row);
    case Kept::diagonal_and_above: break;
  }
  return column >= row;
}

}  // namespace

Array adjoint_of(const Array& x) {
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) order.push_back(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const Array swapped = transpose(x, order);
  return is_complex(x.dtype()) ? conj(swapped) : swapped;
}

Array real_part(const Array& x) { return is_complex(x.dtype()) ? convert(real(x), x.dtype()) : x; }

Array kept_of(const Array& x, Kept kept) {
  return select(is_kept(x.shape(), kept), x, zero_tangent(x.type()));
}

Array diagonal_of(const Array& x) { return reduce_sum(kept_of(x, Kept::diagonal), -1); }

Array as_rows(const Array& x, std::int64_t rows) {
  const Shape shape = x.shape().inserted(Dim{x.rank() - 1}, rows);
  return insert_dims(x, {Dim{x.rank() - 1}}, shape);
}

Array as_columns(const Array& x, std::int64_t columns) {
  const Shape shape = x.shape().inserted(Dim{x.rank()}, columns);
  return insert_dims(x, {Dim{x.rank()}}, shape);
}

Array inverse_off_diagonal(const Array& x) {
  const Array is_diagonal = is_kept(x.shape(), Kept::diagonal);
  return select(is_diagonal, 0, 1 / select(is_diagonal, 1, x));
}

Shape with_last_dims(const Shape& shape, const std::vector<std::int64_t>& last) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end() - 2);
  std::ranges::copy(last, std::back_inserter(sizes));
  return Shape(std::move(sizes));
}

Matrices::Matrices(const Shape& shape)
    : count(with_last_dims(shape, {}).elements()),
      rows(shape[shape.rank() - 2]),
      columns(shape[shape.rank() - 1]) {}

void require_matrices(Type x, std::string_view rank_label, std::string_view dtype_label) {
  require(x.rank() >= 2, Code::shape, "{} has no rows and columns ({}); the last two dims are a matrix", x,
          rank_label);
  require(is_for_lapack(x.dtype()), Code::dtype,
          "{} is neither f32, f64 nor complex ({}); convert it: convert(x, DType::f32)", x, dtype_label);
}

DType real_dtype_of(DType dtype) { return is_complex(dtype) ? part_of(dtype) : dtype; }

}  // namespace tutti
