// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/numbers/elementary.hpp"
#include "tutti/base/inside.hpp"

#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/bitcast_convert.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double radians_per_degree = 0.017453292519943295769;

void require_floats(const Array& x) {
  require(!is_complex(x.dtype()), Code::dtype,
          "{} is complex, for which it is not defined; apply it to the parts: real(x), imag(x)", x.type());
  require(is_float(x.dtype()), Code::dtype, "{} is not float; convert it: convert(x, DType::f32)", x.type());
}

void require_real_numbers(const Array& x) {
  require(!is_complex(x.dtype()), Code::dtype,
          "{} is complex, and complex numbers have no order; apply it to the parts: real(x), imag(x)",
          x.type());
  require(x.dtype() != DType::boolean, Code::dtype, "{} is bool; convert it: convert(x, DType::i32)",
          x.type());
}

double largest_number(DType dtype) {
  if (dtype == DType::f16) return 65504;
  if (dtype == DType::bf16) return 0x1.FEp127;
  if (dtype == DType::f32) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

Array with_numbers(const Array& x, const NanToNumOptions& options) {
  const double largest = largest_number(x.dtype());
  Array found = select(not_equal(x, x), options.nan, x);
  found = select(equal(found, infinity), options.posinf.value_or(largest), found);
  return select(equal(found, -infinity), options.neginf.value_or(-largest), found);
}

/// Both operands of a division, negated where the divisor is below 0. The quotient is the same.
struct Upright {
  Array a, b, is_turned;
};
Upright upright(const Array& a, const Array& b) {
  Array is_turned = b < 0;
  return {select(is_turned, -a, a), select(is_turned, -b, b), is_turned};
}

// The sum turns a remainder of -0 into 0.
Array mod_floats(const Array& x, const Array& y) {
  const auto [a, b, is_turned] = upright(x, y);
  Array left = a % b;
  Array rest = left + select(left < 0, b, 0);
  return select(is_turned, -rest, rest);
}

// As CPython's float_divmod: the remainder first, so that the division is nearly exact.
// A remainder of -0 counts as 0: -0 - 0 = -0, but -0 - -0 = 0.
Array floor_divide_floats(const Array& x, const Array& y) {
  const auto [a, b, is_turned] = upright(x, y);
  Array left = a % b;
  Array is_undefined = equal(b, 0), leaves_none = equal(left, 0) | is_undefined;
  Array whole = (a - select(leaves_none, 0, left)) / b;
  return round(select(left < 0, whole - 1, whole));
}

// Half types have too few bits for the difference of a number and its remainder.
Array floor_divide_by_f32(const Array& x, const Array& y) {
  return convert(floor_divide_floats(convert(x, DType::f32), convert(y, DType::f32)), x.dtype());
}

Array mod_integers(const Array& x, const Array& y) {
  Array under = select(equal(y, 0), 1, y);
  Array left = x % under, is_left = not_equal(left, 0);
  Array is_below = under < 0;
  Array is_added = not_equal(left < 0, is_below) & is_left;
  return select(is_added, left + under, left);
}

Array floor_divide_integers(const Array& a, const Array& b) {
  Array quotient = a / b;
  if (is_unsigned(a.dtype())) return quotient;
  Array sign_of_b = sign(b);
  Array differ = not_equal(sign(a), sign_of_b), is_above = not_equal(a % b, 0) & differ;
  return select(is_above, quotient - 1, quotient);
}

}  // namespace

Array isnan(const Operand& x) {
  return front_end("isnan", x.where(), [&] {
    Array array = as_array(x);
    return not_equal(array, array);
  });
}

Array isinf(const Operand& x) {
  return front_end("isinf", x.where(), [&] {
    Array array = as_array(x);
    if (!is_inexact(array.dtype())) return not_equal(array, array);  // false
    if (is_float(array.dtype())) return equal(abs(array), infinity);
    Array by_real = equal(abs(real(array)), infinity);
    return by_real | equal(abs(imag(array)), infinity);
  });
}

Array nan_to_num(const Operand& x, const NanToNumOptions& options) {
  return front_end("nan_to_num", x.where(), [&] {
    Array array = as_array(x);
    if (!is_inexact(array.dtype())) return array;
    if (is_float(array.dtype())) return with_numbers(array, options);
    Array real_part = with_numbers(real(array), options);
    return complex(real_part, with_numbers(imag(array), options));
  });
}

Array floor_divide(const Operand& a, const Operand& b) {
  return front_end("floor_divide", a.where(), [&] {
    const auto [x, y] = as_equal_shapes(a, b);
    require_real_numbers(x);
    if (!is_float(x.dtype())) return floor_divide_integers(x, y);
    return is_half(x.dtype()) ? floor_divide_by_f32(x, y) : floor_divide_floats(x, y);
  });
}

Array mod(const Operand& a, const Operand& b) {
  return front_end("mod", a.where(), [&] {
    const auto [x, y] = as_equal_shapes(a, b);
    require_real_numbers(x);
    return is_float(x.dtype()) ? mod_floats(x, y) : mod_integers(x, y);
  });
}

Array copysign(const Operand& a, const Operand& b) {
  return front_end("copysign", a.where(), [&] {
    const auto [x, y] = as_equal_shapes(a, b);
    require_floats(x);
    Array is_negative = bitcast_convert(stop_gradient(y), integer_as_wide_as(x.dtype())) < 0;
    Array size = abs(x);
    return select(is_negative, -size, size);
  });
}

// The larger one times sqrt(1 + r^2), where r, the smaller over the larger, is at most 1.
Array hypot(const Operand& a, const Operand& b) {
  return front_end("hypot", a.where(), [&] {
    const auto [x, y] = as_equal_shapes(a, b);
    require_floats(x);
    Array width = abs(x), height = abs(y);
    Array larger = maximum(width, height), smaller = minimum(width, height);
    Array is_zero = equal(larger, 0), by_width = equal(width, infinity);
    Array is_infinite = equal(height, infinity) | by_width;
    Array ratio = smaller / select(is_zero, 1, larger);
    Array size = select(is_zero, larger, larger * sqrt(1 + ratio * ratio));
    return select(is_infinite, infinity, size);
  });
}

Array logaddexp(const Operand& a, const Operand& b) {
  return front_end("logaddexp", a.where(), [&] {
    const auto [x, y] = as_equal_shapes(a, b);
    require_floats(x);
    Array is_same = equal(x, y), away = x - y;  // inf - inf is NaN
    Array distance = abs(select(is_same, 0, away)), larger = maximum(x, y);
    return larger + log1p(exp(-distance));
  });
}

Array xlogy(const Operand& a, const Operand& b) {
  return front_end("xlogy", a.where(), [&] {
    const auto [x, y] = as_equal_shapes(a, b);
    require_floats(x);
    Array counts = not_equal(x, 0), is_nan = not_equal(y, y), is_above = y > 0;
    Array has_logarithm = (y < infinity) & is_above;
    return x * log(select(counts | is_nan | has_logarithm, y, 1));
  });
}

Array deg2rad(const Operand& x) {
  return front_end("deg2rad", x.where(), [&] { return as_array(x) * radians_per_degree; });
}

Array rad2deg(const Operand& x) {
  return front_end("rad2deg", x.where(), [&] { return as_array(x) * (1 / radians_per_degree); });
}

}  // namespace tutti
