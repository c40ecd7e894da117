// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/matrices.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti::ops {

Matrices matrices_of(Type x) {
  const Shape& shape = x.shape();
  Matrices found{1, shape[x.rank() - 2], shape[x.rank() - 1]};
  for (int i = 0; i + 2 < x.rank(); ++i) found.count *= shape[i];
  return found;
}

void require_matrices(Type x, std::string_view label) {
  require(x.rank() >= 2, Code::shape,
          "{} is no matrix: it needs two dims or more, and the last two are rows and columns ({})", x, label);
}

void require_square(Type x, std::string_view label) {
  require_matrices(x, label);
  const Matrices matrices = matrices_of(x);
  const bool varies =
      std::ranges::any_of(x.states(), [](const auto& axis) { return axis.second == State::varying; });
  require(matrices.rows == matrices.columns, Code::shape,
          "{} has {} and {} in its last two dims; they must be equal ({}){}", x,
          counted(matrices.rows, "row"), counted(matrices.columns, "column"), label,
          varies ? ". Inside of shard_map it is the block of one device: all_gather joins the blocks" : "");
}

void require_for_lapack(Type x, std::string_view label) {
  require(is_for_lapack(x.dtype()), Code::dtype,
          "{} is not f32, f64, complex64 or complex128 ({}); convert it: convert(x, DType::f32)", x, label);
}

std::string work_of(std::string_view op, Type x) { return fmt::format("{} of {}", op, to_string(x)); }

// A core of a Xeon with AVX-512, 2026-11: 40 f32 or 20 f64 of each a ns for matrices of 512 rows.
double lapack_nanoseconds(DType dtype, double operations) {
  const bool is_wide = dtype == DType::f64 || dtype == DType::complex128;
  return 500 + operations * (is_complex(dtype) ? 4 : 1) / (is_wide ? 20 : 40);
}

BatchedArrays batch_of_matrices(const Op& op, const Axis& axis, const BatchedArrays& operands) {
  const bool any = std::ranges::any_of(operands, &Batched::batched);
  Arrays arrays;
  for (const Batched& x : operands) arrays.push_back(any ? materialised(x, axis) : x.array);
  BatchedArrays results;
  for (const Array& array : tutti::apply(op, arrays)) results.push_back({array, any});
  return results;
}

Array row_numbers(const Array& x) { return iota(x.shape(), DType::i32, -2); }
Array column_numbers(const Array& x) { return iota(x.shape(), DType::i32, -1); }

Array transposed_matrices(const Array& x) { return move_dim(x, Dim{x.rank() - 1}, Dim{x.rank() - 2}); }

Array adjoint_matrices(const Array& x) { return conjugate(transposed_matrices(x)); }

Array triangle_of(const Array& x, Triangle triangle, int k) {
  const Array rows = k == 0 ? row_numbers(x) : row_numbers(x) + k, columns = column_numbers(x);
  const Array kept = triangle == Triangle::lower ? rows >= columns : rows <= columns;
  return select(kept, x, zeros_of(x.type()));
}

Array halved_lower(const Array& x) {
  const Array rows = row_numbers(x), columns = column_numbers(x);
  const Array half = x * 0.5;
  Array diagonal = half;
  if (is_complex(x.dtype())) {
    const Array part = real(half);
    diagonal = complex(part, zeros_of(part.type()));
  }
  return select(rows > columns, x, select(equal(rows, columns), diagonal, zeros_of(x.type())));
}

Array identity_of(Type type) {
  const Array rows = iota(type.shape(), DType::i32, -2), columns = iota(type.shape(), DType::i32, -1);
  return convert(equal(rows, columns), type.dtype());
}

Array permuted_rows(const Array& x, const Array& rows) {
  const Dims before = dims_of(x.rank() - 2);
  const GatherDims dims{.offset_dims = {Dim{x.rank() - 1}},
                        .collapsed_slice_dims = {Dim{x.rank() - 2}},
                        .operand_batching_dims = before,
                        .start_indices_batching_dims = before,
                        .start_index_map = {Dim{x.rank() - 2}},
                        .index_vector_dim = Dim{rows.rank()}};
  WindowSizes sizes = x.shape().sizes();
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) sizes[i] = std::min<std::int64_t>(sizes[i], 1);
  return apply_one(Gather{dims, sizes}, {x, rows});
}

}  // namespace tutti::ops
