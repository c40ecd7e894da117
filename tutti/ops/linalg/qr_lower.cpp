// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/qr_lower.hpp"

#include <algorithm>

#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/linalg/lower_loop.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti::ops {
namespace {

Array sum_of_rows(const Array& x) { return expand_dims(reduce_sum(x, -2), -2); }

/// The reflection 1 - tau v v^H: v is [.., m, 1], with 1 in row k and zeros above it; tau is [.., 1, 1].
struct Reflection {
  Array v, tau;
};

/// v of a column that holds it below row k.
Array vector_in(const Array& column, const Array& k) {
  const Array row = row_numbers(column);
  return select(row > k, column, convert(equal(row, k), column.dtype()));
}

/// x - tau v (v^H x).
Array reflected(const Array& x, const Array& tau, const Array& v) {
  return x - tau * v * sum_of_rows(conjugate(v) * x);
}

/// The reflection that takes the elements of a column below row k to zero, and the real number that it leaves
/// in row k. A column that has no more than that number stays. Source: LAPACK larfg.
std::pair<Reflection, Array> reflection_of(const Array& column, const Array& k) {
  const Array row = row_numbers(column), zeros = zeros_of(column.type());
  const Array part = select(row >= k, column, zeros), scale = scale_of(part);
  const Array scaled = divided_by_scale(part, scale), below = select(row > k, scaled, zeros);
  const Array alpha = dynamic_slice_in_dim(scaled, k, 1, -2);
  const Array norm = sqrt(sum_of_rows(as_real(scaled * conjugate(scaled))));
  const Array beta = convert(select(as_real(alpha) < 0, norm, -norm), column.dtype());
  const Array left =
      sum_of_rows(one_norms(below)) + (is_complex(alpha.dtype()) ? abs(imag(alpha)) : 0 * norm);
  const Array stays = equal(left, 0);
  const Array tau = select(stays, 0, (beta - alpha) / select(stays, 1, beta));
  const Array diagonal =
      select(stays, dynamic_slice_in_dim(column, k, 1, -2), beta * convert(scale, column.dtype()));
  return {{vector_in(below / select(stays, 1, alpha - beta), k), tau}, diagonal};
}

/// Column k of the matrices as r has it, with v below; tau of column k.
Arrays reduced_column(const Array& k, const Array& a, const Array& taus) {
  const Array column = dynamic_slice_in_dim(a, k, 1, -1);
  const auto [reflection, diagonal] = reflection_of(column, k);
  const Array row = row_numbers(column);
  const Array packed = select(row < k, column, select(equal(row, k), diagonal, reflection.v));
  const Array at = column_numbers(a);
  const Array rest = reflected(a, conjugate(reflection.tau), reflection.v);
  const Array is_k = equal(column_numbers(taus), k);
  return {select(at > k, rest, select(equal(at, k), packed, a)), select(is_k, reflection.tau, taus)};
}

}  // namespace

Lowered lower_qr(Emitter& emitter, stablehlo::Value a) {
  const Type of_a = emitter.operand_types()[0].with(AxisStates{});
  const Type of_q = emitter.result_types()[0].with(AxisStates{});
  const Type of_r = emitter.result_types()[1].with(AxisStates{});
  const std::int64_t m = matrices_of(of_a).rows, n = matrices_of(of_a).columns, count = std::min(m, n);
  const std::int64_t c = matrices_of(of_q).columns;
  const Type of_taus = of_a.with(with_last_dims(of_a.shape(), {1, count}));
  const auto start = [&](const Arrays&) {
    return Arrays{identity_of(of_q), zeros_of(of_a.elements() == 0 ? of_r : of_taus)};
  };
  Lowered made = lower_function(emitter, {}, start, {});
  if (of_a.elements() == 0) return made;
  const Lowered packed =
      lower_counted(emitter, count, {of_a, of_taus},
                    [](const Arrays& x) { return reduced_column(x[0], x[1], x[2]); }, {a, made[1]});
  const auto last_first = [&](const Arrays& x) {
    const Array k = static_cast<std::int32_t>(count - 1) - x[0];
    const Array v = vector_in(dynamic_slice_in_dim(x[2], k, 1, -1), k);
    return Arrays{reflected(x[1], dynamic_slice_in_dim(x[3], k, 1, -1), v), x[2], x[3]};
  };
  const Lowered q =
      lower_counted(emitter, count, {of_q, of_a, of_taus}, last_first, {made[0], packed[0], packed[1]});
  const auto upper = [&](const Arrays& x) {
    return Arrays{triangle_of(slice_in_dim(x[0], 0, c, 1, -2), Triangle::upper, 0)};
  };
  return {q[0], lower_function(emitter, {of_a}, upper, {packed[0]})[0]};
}

}  // namespace tutti::ops
