// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/eigh_lower.hpp"

#include <limits>
#include <utility>

#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/linalg/lower_loop.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/sort.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti::ops {
namespace {

/// A matrix that needs more becomes NaN. Measured for 512 rows of f64: 12 for random numbers, 33 for
/// eigenvalues from 1 to 1e-15.
constexpr std::int32_t most_sweeps = 64;

/// Rotations of pairs (i, i + n/2) of rows or columns by sines and cosines. sine: of the dtype, [.., n/2];
/// half: sine / (1 + cosine).
struct Rotations {
  Array sine, half;
};

/// The rotations that take the elements of `a` between the pairs to zero, by the smaller of two angles. Pairs
/// whose element is at most `threshold` stay. a: [.., n, n], Hermitian; threshold: [.., 1].
Rotations rotations_of(const Array& a, const Array& threshold) {
  const std::int64_t n = a.dim(-1), half = n / 2;
  const auto block = [&](std::int64_t row, std::int64_t column) {
    return diagonal_of(slice_in_dim(slice_in_dim(a, row, row + half, 1, -2), column, column + half, 1, -1));
  };
  const Array first = as_real(block(0, 0)), second = as_real(block(half, half)), between = block(0, half);
  const Array size = abs(between), stays = size <= threshold, divisor = select(stays, 1, size);
  const Array tau = (second - first) / (2 * divisor);
  const Array sign = 1 - 2 * convert(tau < 0, tau.dtype());
  const Array smaller = sign / (abs(tau) + sqrt(1 + tau * tau));
  const Array tangent = select(stays, 0, smaller), cosine = 1 / sqrt(1 + tangent * tangent);
  const Array sine = divided_by_scale(between, divisor) * convert(tangent * cosine, a.dtype());
  return {sine, sine / convert(1 + cosine, a.dtype())};
}

/// The two halves of x along `dim` in the order of the next round: the first line stays, the others move on
/// by one place in a circle. After 2 half - 1 rounds each pair has met once, and all lines are back.
Array moved_on(const Array& first, const Array& second, int dim) {
  const std::int64_t half = first.dim(dim);
  if (half == 1) return concatenate({first, second}, dim);
  const auto part = [&](const Array& x, std::int64_t begin, std::int64_t end) {
    return slice_in_dim(x, begin, end, 1, dim);
  };
  return concatenate({part(first, 0, 1), part(second, 0, 1), part(first, 1, half - 1), part(second, 1, half),
                      part(first, half - 1, half)},
                     dim);
}

/// The pairs of lines of x along `dim` turned, (c x1 - conj(s) x2, s x1 + c x2), in the order of the next
/// round. With half = s / (1 + c) instead of c, lines that are hardly turned keep their lengths.
/// s, half: [.., n/2, 1] or [.., 1, n/2].
Array turned(const Array& x, const Array& s, const Array& half, int dim) {
  const std::int64_t n = x.dim(dim);
  const Array first = slice_in_dim(x, 0, n / 2, 1, dim), second = slice_in_dim(x, n / 2, n, 1, dim);
  return moved_on(first - conjugate(s) * (second + half * first),
                  second + s * (first - conjugate(half) * second), dim);
}

/// One round: a -> j^H a j and v -> v j.
Arrays rotated(const Array& a, const Array& v, const Array& threshold) {
  const Rotations by = rotations_of(a, threshold);
  const auto columns = [&](const Array& x) {
    return turned(x, expand_dims(by.sine, -2), expand_dims(by.half, -2), -1);
  };
  const Array rows =
      turned(columns(a), expand_dims(conjugate(by.sine), -1), expand_dims(conjugate(by.half), -1), -2);
  return {rows, columns(v), threshold};
}

/// The mean of the matrix and its adjoint. Rotations round the two triangles each on its own, and no rotation
/// takes the difference away.
Array as_hermitian(const Array& a) { return 0.5 * a + 0.5 * adjoint_matrices(a); }

/// The largest element off the diagonal of each matrix.
Array largest_off_diagonal(const Array& a) {
  const Array sizes = abs(a);
  return reduce_max(sizes - diagonal_part(sizes), {-2, -1});
}

/// For each matrix: true if no element off the diagonal is larger than the largest element times epsilon.
/// False if an element is no finite number.
Array is_diagonal(const Array& a) {
  const Array largest = reduce_max(abs(a), {-2, -1});
  return (largest_off_diagonal(a) <= epsilon_of(a.dtype()) * largest) &
         (largest < std::numeric_limits<double>::infinity());
}

/// The matrices that the kernel reads, scaled, with a line of zeros if n is odd; their scales.
std::pair<Array, Array> padded(const Array& x) {
  const Array given = hermitian_of_lower(x), scale = scale_of(given), a = divided_by_scale(given, scale);
  if (a.dim(-1) % 2 == 0) return {a, scale};
  std::vector<Padding> padding(static_cast<std::size_t>(a.rank()));
  for (std::size_t i = padding.size() - 2; i < padding.size(); ++i) padding[i].high = 1;
  return {pad(a, 0, padding), scale};
}

/// The n eigenvalues in ascending order, and their vectors; NaN where the matrix is not diagonal.
Arrays in_order(const Array& a, const Array& v, const Array& scale, std::int64_t n) {
  const auto without_padding = [&](const Array& padded) {
    return slice_in_dim(slice_in_dim(padded, 0, n, 1, -2), 0, n, 1, -1);
  };
  const Array values = as_rows(diagonal_of(as_real(without_padding(a))), n) * scale;
  const Arrays sorted = sort(Arrays{values, without_padding(v)}, -1);
  const Array is_found = is_diagonal(a);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {select(expand_dims(is_found, -1), index_in_dim(sorted[0], 0, -2), nan),
          select(expand_dims(expand_dims(is_found, -1), -1), sorted[1], nan)};
}

}  // namespace

Lowered lower_eigh(Emitter& emitter, stablehlo::Value x) {
  const Type type = emitter.operand_types()[0].with(AxisStates{});
  const std::int64_t n = type.shape()[type.rank() - 1], even = n + n % 2;
  const Type of_a = type.with(with_last_dims(type.shape(), {even, even}));
  if (type.elements() == 0) {
    const auto nothing = [&](const Arrays&) {
      return Arrays{zeros_of(emitter.result_types()[0].with(AxisStates{})), zeros_of(type)};
    };
    return lower_function(emitter, {}, nothing, {});
  }
  const Types types{Type(DType::i32, {}), of_a, of_a};
  const Type of_scale(real_dtype_of(type.dtype()), with_last_dims(type.shape(), {1, 1}));
  const auto start = [](const Arrays& given) {
    const auto [a, scale] = padded(given[0]);
    return Arrays{constant(std::int32_t{0}), a, identity_of(a.type()), scale};
  };
  const auto is_unfinished = [](const Arrays& v) {
    return Arrays{(v[0] < most_sweeps) & reduce_max(~is_diagonal(v[1]))};
  };
  const auto rotation = [](const Arrays& v) { return rotated(v[1], v[2], v[3]); };
  // Small elements wait for a later sweep. A rotation of two equal eigenvalues by a small element has a large
  // angle, and fills what others have taken to zero.
  const auto next = [](const Arrays& v) {
    const Array a = as_hermitian(v[1]);
    return Arrays{v[0] + 1, a, v[2], expand_dims(1e-3 * largest_off_diagonal(a), -1)};
  };
  const Type of_threshold(real_dtype_of(type.dtype()), with_last_dims(type.shape(), {1}));
  const auto sweep = [&](const Lowered& v) {
    const Lowered before = lower_function(emitter, types, next, v);
    const Lowered after = lower_counted(emitter, even - 1, {of_a, of_a, of_threshold}, rotation,
                                        {before[1], before[2], before[3]});
    return Lowered{before[0], after[0], after[1]};
  };
  const auto condition = [&](const Lowered& v) { return lower_function(emitter, types, is_unfinished, v); };
  const Lowered made = lower_function(emitter, {type}, start, {x});
  const Lowered end = emitter.emit_with_regions("stablehlo.while", {made[0], made[1], made[2]}, types,
                                                {{types, condition}, {types, sweep}});
  const auto results = [n](const Arrays& v) { return in_order(v[0], v[1], v[2], n); };
  return lower_function(emitter, {of_a, of_a, of_scale}, results, {end[1], end[2], made[3]});
}

}  // namespace tutti::ops
