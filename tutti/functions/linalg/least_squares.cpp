// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/least_squares.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/functions/folds/reductions.hpp"
#include "tutti/functions/shapes/shaping.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/linalg/svd.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

/// The larger size of a matrix, in units in the last place.
double roundings_of(const Array& a) {
  return static_cast<double>(std::max(a.dim(-1), a.dim(-2))) * epsilon_of(a.dtype());
}

/// The singular values that do not count as 0.
Array is_kept(const Array& s, double rtol) { return s > rtol * slice_in_dim(s, 0, 1, 1, -1); }

/// 1 / s, and 0 for those that count as 0: [.., 1, k], in the dtype of `like`.
Array inverse_values(const Array& s, double rtol, const Array& like) {
  const Array kept = is_kept(s, rtol);
  return convert(expand_dims(select(kept, 1 / select(kept, s, 1), 0), -2), like.dtype());
}

Array inverse_of(const SvdResult& factors, double rtol) {
  const Array v = adjoint_matrices(factors.vh);
  return matmul(v * inverse_values(factors.s, rtol, v), adjoint_matrices(factors.u));
}

/// dp = -p da p + p p^H da^H (1 - a p) + (1 - p a) da^H p^H p.
Array tangent_of_inverse(const Array& a, const Array& p, const Array& da) {
  const Array da_h = adjoint_matrices(da), p_h = adjoint_matrices(p);
  const Array rows = matmul(p, matmul(p_h, da_h)), columns = matmul(da_h, matmul(p_h, p));
  const Array outside = rows - matmul(rows, matmul(a, p)) + columns - matmul(p, matmul(a, columns));
  return outside - matmul(p, matmul(da, p));
}

Array pinv_of(const Array& a, double rtol) {
  auto inverse = [rtol](const Array& x) { return inverse_of(svd(x, {.full_matrices = false}), rtol); };
  auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
    const Array p = inverse(std::get<0>(at));
    return std::pair{p, tangent_of_inverse(std::get<0>(at), p, std::get<0>(along))};
  };
  return custom_jvp(inverse, rule)(a);
}

/// The x of lstsq for b: [m, k]. With p = pinv(a) and r = b - a x, dx = p (db - da x) + p p^H da^H r +
/// (1 - p a) da^H p^H x.
Array solution(const Array& a, const Array& b, double rcond) {
  auto solved = [rcond](const Array& matrix, const Array& right) {
    const auto [u, s, vh] = svd(matrix, {.full_matrices = false});
    const Array v = adjoint_matrices(vh);
    return matmul(v * inverse_values(s, rcond, v), matmul(adjoint_matrices(u), right));
  };
  auto rule = [&](const std::tuple<Array, Array>& at, const std::tuple<Array, Array>& along) {
    const auto& [matrix, right] = at;
    const auto& [da, db] = along;
    const Array p = inverse_of(svd(matrix, {.full_matrices = false}), rcond), p_h = adjoint_matrices(p);
    const Array x = solved(matrix, right), da_h = adjoint_matrices(da);
    const Array left = matmul(da_h, right - matmul(matrix, x)), moved = matmul(da_h, matmul(p_h, x));
    const Array inside = matmul(p, db - matmul(da, x) + matmul(p_h, left));
    return std::pair{x, inside + moved - matmul(p, matmul(matrix, moved))};
  };
  return custom_jvp(solved, rule)(a, b);
}

void require_equations(const Array& a, const Array& b) {
  require(a.rank() == 2, Code::shape, "{} is no matrix (lstsq_c1); use vmap for several", a.type());
  require(b.rank() >= 1 && b.rank() <= 2 && b.dim(0) == a.dim(0), Code::shape,
          "the right side {} does not fit {} (lstsq_c2); it has one or two dims, and as many rows", b.type(),
          a.type());
  require_same_dtype(a.type(), b.type());
}

}  // namespace

Array pinv(const Operand& a, const PinvOptions& options) {
  return front_end("pinv", a.where(), [&] {
    const Array x = as_array(a);
    Svd{Svd::Factors::reduced}.infer({x.type()});
    if (x.type().elements() == 0) return zeros(adjoint_matrices(x).shape(), x.dtype());
    return pinv_of(x, options.rtol.value_or(10 * roundings_of(x)));
  });
}

Array matrix_rank(const Operand& a, const PinvOptions& options) {
  return front_end("matrix_rank", a.where(), [&] {
    const Array x = as_array(a), s = svdvals(x);
    if (x.type().elements() == 0) return zeros(with_last_dims(x.shape(), {}), DType::i32);
    return sum(is_kept(s, options.rtol.value_or(roundings_of(x))), -1);
  });
}

LstsqResult lstsq(const Operand& a, const Operand& b, const LstsqOptions& options) {
  return front_end("lstsq", a.where(), [&] {
    const Array matrix = as_array(a), given = as_array(b);
    require_equations(matrix, given);
    const std::int64_t n = matrix.dim(1), k = given.rank() == 1 ? 1 : given.dim(1);
    const Array right = reshape(given, {matrix.dim(0), k});
    double rcond = options.rcond.value_or(roundings_of(matrix));
    if (rcond < 0) rcond = epsilon_of(matrix.dtype());
    const bool is_empty = matrix.type().elements() == 0;
    const Array s = svd(matrix, {.full_matrices = false}).s;
    const Array rank = is_empty ? zeros({}, DType::i32) : sum(is_kept(s, rcond));
    const Array x = is_empty ? zeros({n, k}, matrix.dtype()) : solution(matrix, right, rcond);
    const Array off = abs(right - matmul(matrix, x));
    return LstsqResult{given.rank() == 1 ? reshape(x, {n}) : x, sum(off * off, 0), rank, s};
  });
}

}  // namespace tutti
