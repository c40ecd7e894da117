// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/solving.hpp"

#include <optional>
#include <tuple>
#include <utility>

#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/functions/linalg/right_sides.hpp"
#include "tutti/functions/shapes/diagonals.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/cumulative.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linalg/lu.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

struct Factored {
  explicit Factored(const Array& a) : Factored(tutti::apply(Lu{}, {a})) {}
  Array solve(const Array& b) const { return solved_by_lu(lu, permutation, b); }
  /// u's diagonal: [.., n].
  Array diagonal() const { return tutti::diagonal(lu, {.dim1 = lu.rank() - 2, .dim2 = lu.rank() - 1}); }
  /// 1 for an even number of swaps, -1 for an odd one: [..].
  Array sign() const {
    const Dim last{pivots.rank() - 1};
    const Array swapped = not_equal(pivots, iota(pivots.shape(), DType::i32, last.index));
    const Array factors = select(swapped, -ones_of(pivots.type()), ones_of(pivots.type()));
    return convert(reduce_prod(factors, last.index), lu.dtype());
  }

  Array lu, pivots, permutation;

 private:
  explicit Factored(const Arrays& results) : lu(results[0]), pivots(results[1]), permutation(results[2]) {}
};

/// [.., n, n] -> [..].
Array trace_of(const Array& x) {
  const int rank = x.rank();
  return reduce_sum(diagonal(x, {.dim1 = rank - 2, .dim2 = rank - 1}), rank - 2);
}

/// x of a x = b, matrices; x' = a^-1 (b' - a' x) with the same factors.
Array solved(const Array& a, const Array& b, Where where) {
  const auto function = [](const Array& matrix, const Array& right) { return Factored(matrix).solve(right); };
  const auto rule = [](const std::tuple<Array, Array>& at, const std::tuple<Array, Array>& along) {
    const auto& [matrix, right] = at;
    const auto& [of_matrix, of_right] = along;
    const Factored factors(matrix);
    const Array x = factors.solve(right);
    return std::pair(x, factors.solve(of_right - matmul(of_matrix, x)));
  };
  return custom_jvp(function, rule, where)(a, b);
}

/// The tangent of det(a): its cofactors times those of the elements. Exact for any rank. n is 2 or 3.
Array tangent_of_small_det(const Array& a, const Array& along) {
  const int rank = a.rank();
  const std::int64_t n = a.shape()[rank - 1];
  const auto at = [&](const Array& x, std::int64_t i, std::int64_t j) {
    return index_in_dim(index_in_dim(x, i % n, rank - 2), j % n, rank - 2);
  };
  const auto cofactor = [&](std::int64_t i, std::int64_t j) {
    if (n == 2) return i == j ? at(a, i + 1, j + 1) : -at(a, i + 1, j + 1);
    return at(a, i + 1, j + 1) * at(a, i + 2, j + 2) - at(a, i + 1, j + 2) * at(a, i + 2, j + 1);
  };
  std::optional<Array> total;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) total = sum_of(total, cofactor(i, j) * at(along, i, j));
  return *total;
}

/// det(a) a^-1 b, also where u[n-1, n-1] alone is zero: then det / u[n-1, n-1] is the product of the other
/// elements of the diagonal. Zero where another one is zero, too. n >= 2.
Array cofactors_times(const Factored& factors, const Array& b) {
  const int rank = b.rank();
  const std::int64_t n = b.shape()[rank - 1];
  const Array products = cumprod(factors.diagonal(), rank - 2);  // of 1, 2, .. elements: [.., n]
  const Array sign = factors.sign();
  const auto product = [&](std::int64_t i) { return index_in_dim(products, i, rank - 2) * sign; };
  const Array whole = product(n - 1), others = product(n - 2);
  const auto over = [&](const Array& x) { return insert_dims(x, {Dim{rank - 2}, Dim{rank - 1}}, b.shape()); };
  const Array rows = iota(b.shape(), DType::i32, rank - 2), columns = iota(b.shape(), DType::i32, rank - 1);
  const Array is_corner = logical_and(equal(rows, n - 1), equal(columns, n - 1));
  const Array has_no_rank = over(equal(others, 0.0));
  const Array u = select(logical_or(is_corner, has_no_rank), ones_of(b.type()), factors.lu);
  const Array y = apply_one(TriangularSolve{.has_unit_diagonal = true},
                            {factors.lu, permuted_rows(b, factors.permutation)});
  // The last row of u^-1 y has been divided by u[n-1, n-1] in advance; so u has a one there.
  const Array scaled = select(equal(rows, n - 1), over(others) * y, over(whole) * y);
  const Array x = apply_one(TriangularSolve{.is_lower = false}, {u, scaled});
  return select(has_no_rank, zeros_of(b.type()), x);
}

Array determinant(const Factored& factors) {
  return reduce_prod(factors.diagonal(), factors.lu.rank() - 2) * factors.sign();
}

SlogdetResult sign_and_log(const Factored& factors) {
  const Array diagonal = factors.diagonal();
  const int last = diagonal.rank() - 1;
  const Array size = abs(diagonal), is_zero = reduce_or(equal(size, 0.0), last);
  const Array unit =
      is_complex(diagonal.dtype()) ? diagonal / convert(size, diagonal.dtype()) : tutti::sign(diagonal);
  const Array sign = reduce_prod(unit, last) * factors.sign();
  const Array zero = zeros_of(sign.type());
  const Array log_size = reduce_sum(log(size), last);
  return {select(is_zero, zero, sign), log_size};
}

}  // namespace

Array solve(const Operand& a, const Operand& b) {
  return front_end("solve", a.where(), [&] {
    const Array matrix = as_array(a, {b});
    const MatrixEquation equation = equation_of(matrix, as_array(b, {a}));
    return equation.shaped(solved(equation.a, equation.b, a.where()));
  });
}

Array inv(const Operand& a) {
  return front_end("inv", a.where(), [&] {
    const Array matrix = as_array(a);
    require_for_lapack(matrix.type(), "solve_c1");
    require_square(matrix.type(), "solve_c3");
    return solved(matrix, identity_of(matrix.type()), a.where());
  });
}

Array det(const Operand& a) {
  return front_end("det", a.where(), [&] {
    const Array matrix = as_array(a);
    require_for_lapack(matrix.type(), "det_c1");
    require_square(matrix.type(), "det_c2");
    const int rank = matrix.rank();
    if (matrix.shape()[rank - 1] < 2) return reduce_prod(matrix, {rank - 2, rank - 1});
    const auto function = [](const Array& x) { return determinant(Factored(x)); };
    const auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      const Array& x = std::get<0>(at);
      const Factored factors(x);
      if (x.dim(-1) <= 3) return std::pair(determinant(factors), tangent_of_small_det(x, std::get<0>(along)));
      return std::pair(determinant(factors), trace_of(cofactors_times(factors, std::get<0>(along))));
    };
    return custom_jvp(function, rule, a.where())(matrix);
  });
}

SlogdetResult slogdet(const Operand& a) {
  return front_end("slogdet", a.where(), [&] {
    const Array matrix = as_array(a);
    require_for_lapack(matrix.type(), "slogdet_c1");
    require_square(matrix.type(), "slogdet_c2");
    using Both = std::pair<Array, Array>;
    const auto both = [](const SlogdetResult& found) { return Both(found.sign, found.logabsdet); };
    const auto function = [&](const Array& x) { return both(sign_and_log(Factored(x))); };
    const auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      const Factored factors(std::get<0>(at));
      const SlogdetResult found = sign_and_log(factors);
      const Array slope = trace_of(factors.solve(std::get<0>(along)));
      if (!is_complex(slope.dtype())) return std::pair(both(found), Both(zeros_of(found.sign.type()), slope));
      const Array turn = complex(zeros_of(found.logabsdet.type()), imag(slope)) * found.sign;
      return std::pair(both(found), Both(turn, real(slope)));
    };
    const Both found = custom_jvp(function, rule, a.where())(matrix);
    return SlogdetResult{found.first, found.second};
  });
}

}  // namespace tutti
