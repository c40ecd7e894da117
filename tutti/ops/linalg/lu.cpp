// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/lu.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "tutti/base/in_lines.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/linalg/lu_lower.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

/// A matrix in scratch, column-major, and the swaps of its rows, counted from 1.
struct LuScratch {
  explicit LuScratch(const Matrices& matrices, DType dtype)
      : matrix_bytes(in_lines(static_cast<std::size_t>(matrices.elements()) * bytes_per_element(dtype))),
        bytes(matrix_bytes +
              sizeof(int) * static_cast<std::size_t>(std::min(matrices.rows, matrices.columns))) {}
  std::size_t matrix_bytes, bytes;
};

template <class T>
void factor_lines(const Matrices& matrices, const kernel::Unit& unit) {
  const std::int64_t m = matrices.rows, n = matrices.columns, swaps = std::min(m, n);
  auto* columns = reinterpret_cast<T*>(unit.scratch);
  auto* pivots = reinterpret_cast<int*>(unit.scratch + LuScratch(matrices, dtype_of<T>()).matrix_bytes);
  const Lapack<T> lapack;
  for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i) {
    const std::int64_t first = i * matrices.elements();
    transpose_matrix(columns, reinterpret_cast<const T*>(unit.operands[0]) + first, m, n);
    lapack.getrf(static_cast<int>(m), static_cast<int>(n), columns, pivots);
    transpose_matrix(reinterpret_cast<T*>(unit.results[0]) + first, columns, n, m);
    auto* swapped = reinterpret_cast<std::int32_t*>(unit.results[1]) + i * swaps;
    auto* permutation = reinterpret_cast<std::int32_t*>(unit.results[2]) + i * m;
    std::iota(permutation, permutation + m, 0);
    for (std::int64_t k = 0; k < swaps; ++k) {
      swapped[k] = pivots[k] - 1;
      std::swap(permutation[k], permutation[swapped[k]]);
    }
  }
}

/// Without elements there are no swaps.
void identity_lines(const Matrices& matrices, const kernel::Unit& unit) {
  auto* permutation = reinterpret_cast<std::int32_t*>(unit.results[2]);
  for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i)
    std::iota(permutation + i * matrices.rows, permutation + (i + 1) * matrices.rows, 0);
}

/// x, the first rows or columns of a square matrix of `n` rows, made whole by those of the identity.
Array made_square(const Array& x, std::int64_t n, bool is_lower) {
  const int rows = x.rank() - 2, columns = x.rank() - 1, dim = is_lower ? columns : rows;
  const std::int64_t given = x.shape()[dim];
  if (given == n) return x;
  std::vector<Padding> after(static_cast<std::size_t>(x.rank())), before = after;
  after[static_cast<std::size_t>(dim)].high = n - given;
  for (const int d : {rows, columns}) before[static_cast<std::size_t>(d)].low = given;
  const Array whole = pad(x, 0.0, after), identity = identity_of(whole.type());
  const Array rest = slice_in_dim(slice_in_dim(identity, given, n, 1, columns), given, n, 1, rows);
  return whole + pad(rest, 0.0, before);
}

}  // namespace

Types Lu::infer(const Types& operands) const {
  const Type& a = operands[0];
  require_for_lapack(a, "lu_c1");
  require_matrices(a, "lu_c2");
  const Type factors = a.with(agreed_states(operands, mixing())), numbers = factors.with(DType::i32);
  const Dim rows{a.rank() - 2}, columns{a.rank() - 1};
  const Shape of_rows = a.shape().erased(columns);
  const std::int64_t swaps = std::min(a.shape()[rows], a.shape()[columns]);
  return {factors, numbers.with(of_rows.with(rows, swaps)), numbers.with(of_rows)};
}

Kernel Lu::kernel(const Layout& layout) const {
  const Type a = layout.operands()[0];
  const Matrices matrices = matrices_of(a);
  if (matrices.all_elements() == 0)
    return kernel::Opaque{.nanoseconds = 50,
                          .run = [matrices](const kernel::Unit& unit) { identity_lines(matrices, unit); },
                          .shared = {matrices.count}};
  auto user = std::make_shared<const LapackUser>(work_of(name, a), std::max(matrices.rows, matrices.columns));
  const auto elements = static_cast<double>(matrices.elements());
  const auto least = static_cast<double>(std::min(matrices.rows, matrices.columns));
  return kernel::Opaque{.nanoseconds = static_cast<double>(matrices.count) *
                                       lapack_nanoseconds(a.dtype(), elements * (least / 3 + 16)),
                        .scratch_bytes = LuScratch(matrices, a.dtype()).bytes,
                        .run =
                            [user, matrices, dtype = a.dtype()](const kernel::Unit& unit) {
                              with_lapack_element(dtype, [&]<class T>(std::type_identity<T>) {
                                factor_lines<T>(matrices, unit);
                              });
                            },
                        .shared = {matrices.count}};
}

// l u = a, its rows swapped: with x = l^-1 a' u^-1, l' = l lower(x) without the diagonal, u' = upper(x) u
// (de Hoog, Anderssen, Lukas 2011). If l or u is not square, rows of the identity make it so.
Jvp Lu::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[0]) return constant_jvp(*this, operands);
  const Arrays results = tutti::apply(*this, operands);
  const Array& both = results[0];
  const int rank = both.rank();
  const std::int64_t m = both.shape()[rank - 2], n = both.shape()[rank - 1], k = std::min(m, n);
  const Array of_l = made_square(slice_in_dim(both, 0, k, 1, rank - 1), m, true);
  const Array l = triangle_of(of_l, Triangle::lower, -1) + identity_of(of_l.type());
  const Array u =
      triangle_of(made_square(slice_in_dim(both, 0, k, 1, rank - 2), n, false), Triangle::upper, 0);
  const Array moved = permuted_rows(*tangents[0], results[2]);
  const Array left = apply_one(TriangularSolve{.has_unit_diagonal = true}, {l, moved});
  const Array x = apply_one(TriangularSolve{.is_left = false, .is_lower = false}, {u, left});
  const Array tangent =
      matmul(l, triangle_of(x, Triangle::lower, -1)) + matmul(triangle_of(x, Triangle::upper, 0), u);
  return {results, {tangent, std::nullopt, std::nullopt}};
}

BatchedArrays Lu::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_of_matrices(*this, axis, operands);
}

Lowered Lu::lower(Emitter& emitter, const Lowered& operands) const { return lower_lu(emitter, operands[0]); }

// Random elements: where two candidates for a pivot are equal, the factors jump.
std::vector<Example> Lu::examples() {
  const Axes& axes = example_mesh().axes();
  const Type square(DType::f64, {3, 3});
  return {
      {Lu{}, {Type(DType::f64, {4, 4})}},
      {Lu{}, {square.with(axes[0], varying)}},
      {Lu{}, {square.with(axes[1], reduced)}},
      {Lu{}, {Type(DType::f64, {5, 3})}},
      {Lu{}, {Type(DType::f64, {2, 3, 4})}},
      {Lu{}, {Type(DType::f32, {2, 3, 3})}},
      {Lu{}, {ExampleOperand(Type(DType::f32, {1, 1}), 1, 2)}},
      {Lu{}, {Type(DType::f32, {2, 0, 3})}},
      {Lu{}, {Type(DType::f32, {2, 3, 0})}},
      {Lu{}, {Type(DType::complex64, {3, 3})}},
      {Lu{}, {Type(DType::complex128, {2, 3, 3})}},
  };
}

LuResult lu(const Operand& a) {
  return front_end(Lu::name, a.where(), [&] {
    Arrays results = tutti::apply(Lu{}, {as_array(a)});
    return LuResult{results[0], results[1], results[2]};
  });
}

}  // namespace tutti
