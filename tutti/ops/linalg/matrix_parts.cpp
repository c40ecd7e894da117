// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/matrix_parts.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti::ops {
namespace {

Array is_on_diagonal(const Array& x) { return equal(row_numbers(x), column_numbers(x)); }

}  // namespace

Array as_real(const Array& x) { return is_complex(x.dtype()) ? real(x) : x; }
Array real_part(const Array& x) { return convert(as_real(x), x.dtype()); }
Array conjugate(const Array& x) { return is_complex(x.dtype()) ? conj(x) : x; }
Array one_norms(const Array& x) { return is_complex(x.dtype()) ? abs(real(x)) + abs(imag(x)) : abs(x); }

Array scale_of(const Array& x) {
  const Array sizes = is_complex(x.dtype()) ? maximum(abs(real(x)), abs(imag(x))) : abs(x);
  const Array largest = expand_dims(expand_dims(reduce_max(sizes, {-2, -1}), -1), -1);
  return select(largest > 0, largest, 1);
}

Array divided_by_scale(const Array& x, const Array& scale) {
  return is_complex(x.dtype()) ? complex(real(x) / scale, imag(x) / scale) : x / scale;
}

Array diagonal_part(const Array& x) { return select(is_on_diagonal(x), x, zeros_of(x.type())); }

Array diagonal_of(const Array& x) { return reduce_sum(diagonal_part(x), -1); }

Array hermitian_of_lower(const Array& x) {
  const Array below = triangle_of(x, Triangle::lower, -1);
  return below + adjoint_matrices(below) + diagonal_part(real_part(x));
}

Array as_rows(const Array& x, std::int64_t rows) {
  const Dim dim{x.rank() - 1};
  return insert_dims(x, {dim}, x.shape().inserted(dim, rows));
}

Array as_columns(const Array& x, std::int64_t columns) {
  const Dim dim{x.rank()};
  return insert_dims(x, {dim}, x.shape().inserted(dim, columns));
}

Array inverse_off_diagonal(const Array& x) {
  const Array is_diagonal = is_on_diagonal(x);
  return select(is_diagonal, 0, 1 / select(is_diagonal, 1, x));
}

Shape with_last_dims(const Shape& shape, const std::vector<std::int64_t>& last) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end() - 2);
  std::ranges::copy(last, std::back_inserter(sizes));
  return Shape(std::move(sizes));
}

DType real_dtype_of(DType dtype) { return is_complex(dtype) ? part_of(dtype) : dtype; }

double epsilon_of(DType dtype) {
  return real_dtype_of(dtype) == DType::f32 ? std::numeric_limits<float>::epsilon()
                                            : std::numeric_limits<double>::epsilon();
}

}  // namespace tutti::ops
