// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/binary_table.hpp"

namespace tutti {
namespace {

bool is_shift(BinaryFn fn) {
  return fn == BinaryFn::shift_left || fn == BinaryFn::shift_right_arithmetic ||
         fn == BinaryFn::shift_right_logical;
}

}  // namespace

bool takes(BinaryFn fn, DType dtype) {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::mul: return true;
    case BinaryFn::maximum:
    case BinaryFn::minimum: return !is_complex(dtype);
    case BinaryFn::sub:
    case BinaryFn::div:
    case BinaryFn::pow: return dtype != DType::boolean;
    case BinaryFn::rem: return dtype != DType::boolean && !is_complex(dtype);
    case BinaryFn::complex: return dtype == DType::f32 || dtype == DType::f64;
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor: return !is_inexact(dtype);
    case BinaryFn::atan2: return is_float(dtype);
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical: return is_integer(dtype);
  }
  return false;
}

std::string_view stablehlo_name(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::add: return "stablehlo.add";
    case BinaryFn::sub: return "stablehlo.subtract";
    case BinaryFn::mul: return "stablehlo.multiply";
    case BinaryFn::div: return "stablehlo.divide";
    case BinaryFn::pow: return "stablehlo.power";
    case BinaryFn::maximum: return "stablehlo.maximum";
    case BinaryFn::minimum: return "stablehlo.minimum";
    case BinaryFn::rem: return "stablehlo.remainder";
    case BinaryFn::logical_and: return "stablehlo.and";
    case BinaryFn::logical_or: return "stablehlo.or";
    case BinaryFn::logical_xor: return "stablehlo.xor";
    case BinaryFn::atan2: return "stablehlo.atan2";
    case BinaryFn::shift_left: return "stablehlo.shift_left";
    case BinaryFn::shift_right_arithmetic: return "stablehlo.shift_right_arithmetic";
    case BinaryFn::shift_right_logical: return "stablehlo.shift_right_logical";
    case BinaryFn::complex: return "stablehlo.complex";
  }
  return {};
}

std::vector<ExampleOperand> example_operands(BinaryFn fn, Type x, Type y) {
  if (is_shift(fn) && is_unsigned(x.dtype())) return {{x, 0, 255}, {y, 0, 70}};
  if (is_shift(fn)) return {{x, -99, 99}, {y, -3, 35}};
  if (is_unsigned(x.dtype())) return {{x, 0, 200}, {y, 0, fn == BinaryFn::pow ? 3.0 : 7.0}};
  if (!is_inexact(x.dtype()))
    return {{x, -7, 7}, {y, fn == BinaryFn::pow ? 0.0 : -7.0, fn == BinaryFn::pow ? 3.0 : 7.0}};
  switch (fn) {
    case BinaryFn::div: return {{x}, {y, 0.5, 2}};
    case BinaryFn::pow: return {{x, 0.2, 3}, {y}};
    case BinaryFn::rem: return {{x, -2.5, -2.2}, {y, 0.9, 1}};  // the quotient is between -3 and -2
    case BinaryFn::add:
    case BinaryFn::sub:
    case BinaryFn::mul:
    case BinaryFn::maximum:
    case BinaryFn::minimum:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical:
    case BinaryFn::complex: break;
    case BinaryFn::atan2: return {{x}, {y, 0.5, 2}};
  }
  return {{x}, {y}};
}

About about_binary(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::add: return {"x + y, element by element; of bool: or.", "x + y"};
    case BinaryFn::sub: return {"x - y, element by element.", "x - y"};
    case BinaryFn::mul: return {"x * y, element by element; of bool: and.", "x * y, square"};
    case BinaryFn::div: return {"x / y, element by element; of integers cut towards 0.", "x / y"};
    case BinaryFn::pow: return {"x to the power of y, element by element.", "pow"};
    case BinaryFn::maximum: return {"The larger of x and y, element by element; NaN if one is.", "maximum"};
    case BinaryFn::minimum: return {"The smaller of x and y, element by element; NaN if one is.", "minimum"};
    case BinaryFn::rem:
      return {"What is left of x divided by y, with the sign of x, element by element.", "rem, x % y"};
    case BinaryFn::logical_and: return {"x and y, of bool, or bit by bit of integers.", "logical_and, x & y"};
    case BinaryFn::logical_or: return {"x or y, of bool, or bit by bit of integers.", "logical_or, x | y"};
    case BinaryFn::logical_xor:
      return {"Either x or y, of bool, or bit by bit of integers.", "logical_xor, x ^ y"};
    case BinaryFn::atan2: return {"The angle of the point (y, x), element by element.", "atan2"};
    case BinaryFn::shift_left: return {"The bits of x moved up by y, element by element.", "shift_left"};
    case BinaryFn::shift_right_arithmetic:
      return {"The bits of x moved down by y, with copies of the sign, element by element.",
              "shift_right_arithmetic"};
    case BinaryFn::shift_right_logical:
      return {"The bits of x moved down by y, with zeros, element by element.", "shift_right_logical"};
    case BinaryFn::complex: return {"The complex number x + iy, element by element.", "complex, conj"};
  }
  return {};
}

std::span<const BinaryFn> all_binary_functions() {
  using enum BinaryFn;
  static constexpr BinaryFn all[] = {add,
                                     sub,
                                     mul,
                                     div,
                                     pow,
                                     maximum,
                                     minimum,
                                     rem,
                                     logical_and,
                                     logical_or,
                                     logical_xor,
                                     atan2,
                                     shift_left,
                                     shift_right_arithmetic,
                                     shift_right_logical,
                                     complex};
  return all;
}

}  // namespace tutti
