// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/binary.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

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

// Division that truncates and the or of bools are linear in name only.
bool is_linear(BinaryFn fn, DType dtype) {
  return dtype != DType::boolean && (fn != BinaryFn::div || is_inexact(dtype));
}

void require_taken(BinaryFn fn, Type x) {
  if (takes(fn, x.dtype())) return;
  require(fn != BinaryFn::complex, Code::dtype, "the parts are {}, not f32 or f64; convert them: {}",
          to_string(x), conversion_to(DType::f32));
  require(!is_complex(x.dtype()), Code::dtype,
          "{} is complex, for which it is not defined; apply it to the parts: real(x), imag(x)",
          to_string(x));
  require(fn != BinaryFn::atan2, Code::dtype, "{} is not float; convert it: {}", to_string(x),
          conversion_to(DType::f32));
  fail(Code::dtype, "{} is {}; convert it: {}", to_string(x),
       is_float(x.dtype()) ? "float" : "neither float nor integer", conversion_to(DType::i32));
}

void require_no_sum(Type denominator) {
  for (const auto& [axis, state] : denominator.states())
    require(state != State::unreduced, Code::state,
            "the denominator is {} ({}); one over a sum is not the sum of one over its terms. Reduce first: "
            "psum(denominator, \"{}\")",
            in_words(denominator, axis), to_string(denominator), axis.name);
}

// 1 where a > b, 1/2 where they are equal, else 0.
Array share_of_larger(const Array& a, const Array& b) {
  return 0.5 * (convert(a > b, a.dtype()) + convert(a >= b, a.dtype()));
}

// y x^(y-1); 0 at y = 0, whatever x is.
Array pow_by_base(const Array& x, const Array& y) {
  Array is_constant = equal(y, 0);
  Array slope = y * pow(x, select(is_constant, 1, y - 1));
  return select(is_constant, zeros_of(slope.type()), slope);
}

// log(x) x^y. At x = 0, where it would be inf * 0 for y > 0, 0.
Array pow_by_exponent(const Array& x, const Array& power) { return log(select(equal(x, 0), 1, x)) * power; }

// Towards zero; x rem 1 is exact.
Array truncated(const Array& x) { return x - x % 1; }

// What the tangent t of x, or of y, adds to the tangent of z = fn(x, y).
std::optional<Array> tangent_by_first(BinaryFn fn, const Array& x, const Array& y, const Array& t) {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::sub:
    case BinaryFn::rem: return t;
    case BinaryFn::complex: return complex(t, zero_tangent(t.type()));
    case BinaryFn::mul: return t * y;
    case BinaryFn::div: return t / y;
    case BinaryFn::pow: return pow_by_base(x, y) * t;
    case BinaryFn::maximum: return share_of_larger(x, y) * t;
    case BinaryFn::minimum: return share_of_larger(y, x) * t;
    case BinaryFn::atan2: return (y / (x * x + y * y)) * t;
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Array> tangent_by_second(BinaryFn fn, const Array& x, const Array& y, const Array& z,
                                       const Array& t) {
  switch (fn) {
    case BinaryFn::add: return t;
    case BinaryFn::sub: return -t;
    case BinaryFn::complex: return complex(zero_tangent(t.type()), t);
    case BinaryFn::mul: return x * t;
    case BinaryFn::div: return -(z / y) * t;
    case BinaryFn::pow: return pow_by_exponent(x, z) * t;
    case BinaryFn::maximum: return share_of_larger(y, x) * t;
    case BinaryFn::minimum: return share_of_larger(x, y) * t;
    case BinaryFn::rem: return -truncated(x / y) * t;
    case BinaryFn::atan2: return -(x / (x * x + y * y)) * t;
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical: return std::nullopt;
  }
  return std::nullopt;
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

Array binary(BinaryFn fn, const Operand& a, const Operand& b) {
  return front_end(name(fn), a.where(), [&] {
    auto [x, y] = as_equal_shapes(a, b);
    return apply_one(Binary{fn}, {x, y});
  });
}

}  // namespace

About Binary::about() const {
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

Mixing Binary::mixing() const {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::sub:
    case BinaryFn::complex: return Mixing::linear;
    case BinaryFn::mul:
    case BinaryFn::div: return Mixing::bilinear;
    case BinaryFn::pow:
    case BinaryFn::maximum:
    case BinaryFn::minimum:
    case BinaryFn::rem:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::atan2:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical: return Mixing::alike;
  }
  return Mixing::alike;
}

Types Binary::infer(const Types& operands) const {
  Type x = operands[0];
  require_same_elements(x, operands[1]);
  require_taken(fn, x);
  if (fn == BinaryFn::div) require_no_sum(operands[1]);
  Type result = fn == BinaryFn::complex ? x.with(complex_of(x.dtype())) : x;
  return {result.with(agreed_states(operands, is_linear(fn, x.dtype()) ? mixing() : Mixing::alike))};
}

Kernel Binary::kernel(const Layout&) const { return kernel::Pointwise{fn}; }

Jvp Binary::jvp(const Arrays& operands, const Tangents& tangents) const {
  const auto& [by_x, by_y] = std::pair(tangents[0], tangents[1]);
  if (mixing() == Mixing::linear && by_x && by_y) return linear_jvp(*this, operands, tangents);
  const Array &x = operands[0], &y = operands[1];
  Array z = apply_one(*this, operands);
  std::optional<Array> first, second;
  if (by_x) first = tangent_by_first(fn, x, y, *by_x);
  if (by_y) second = tangent_by_second(fn, x, y, z, *by_y);
  return {{z}, {sum_of(first, second)}};
}

Tangents Binary::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  const Array& ct = *cotangents[0];
  const std::optional<Array>&x = operands[0].known, &y = operands[1].known;
  auto if_linear = [](const auto& known, auto cotangent) {
    return known ? std::nullopt : std::optional<Array>(cotangent());
  };
  switch (fn) {
    case BinaryFn::add: return {if_linear(x, [&] { return ct; }), if_linear(y, [&] { return ct; })};
    case BinaryFn::sub: return {if_linear(x, [&] { return ct; }), if_linear(y, [&] { return -ct; })};
    case BinaryFn::complex:
      return {if_linear(x, [&] { return real(ct); }), if_linear(y, [&] { return -imag(ct); })};
    case BinaryFn::mul:
      require(x || y, Code::refused_rule, "transpose is refused: mul is linear in one operand at a time");
      return {if_linear(x, [&] { return ct * *y; }), if_linear(y, [&] { return *x * ct; })};
    case BinaryFn::div:
      require(y.has_value(), Code::refused_rule,
              "transpose is refused: div is not linear in its denominator");
      return {ct / *y, std::nullopt};
    case BinaryFn::pow:
    case BinaryFn::maximum:
    case BinaryFn::minimum:
    case BinaryFn::rem:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::atan2:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical: break;
  }
  return {};  // refused before
}

std::string_view Binary::refusal(Rule rule) const {
  return rule == Rule::transpose && mixing() == Mixing::alike ? "it is not linear" : "";
}

BatchedArrays Binary::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered Binary::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit(stablehlo_name(fn), operands, emitter.result_types()[0])};
}

namespace {

bool is_shift(BinaryFn fn) {
  return fn == BinaryFn::shift_left || fn == BinaryFn::shift_right_arithmetic ||
         fn == BinaryFn::shift_right_logical;
}

// Operands in the domain, away from the kinks; integers may meet every edge.
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

void add_examples(BinaryFn fn, std::vector<Example>& examples) {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  auto add = [&](DType dtype, const Shape& shape, const AxisStates& x, const AxisStates& y) {
    if (takes(fn, dtype))
      examples.push_back({Binary{fn}, example_operands(fn, Type(dtype, shape, x), Type(dtype, shape, y))});
  };
  auto add_alike = [&](DType dtype, const Shape& shape, const AxisStates& states) {
    add(dtype, shape, states, states);
  };
  for (DType dtype : more_dtypes()) add_alike(dtype, {3, 5}, {{a, varying}});
  add_alike(DType::f64, {2, 3}, {{a, varying}});
  add_alike(DType::f64, {5}, {{b, reduced}});
  add_alike(DType::f32, {}, {});
  add_alike(DType::f32, {3, 5}, {{a, varying}, {b, reduced}});
  add_alike(DType::i32, {7}, {{a, varying}});
  add_alike(DType::i64, {2, 2}, {});
  add_alike(DType::boolean, {5}, {{a, varying}});
  if (Binary{fn}.mixing() == Mixing::linear) add_alike(DType::f64, {3}, {{a, varying}, {b, unreduced}});
  if (Binary{fn}.mixing() == Mixing::bilinear)
    add(DType::f64, {3}, {{a, varying}, {b, unreduced}}, {{a, varying}, {b, reduced}});
  if (fn == BinaryFn::mul) {
    add(DType::f32, {2, 3}, {{a, reduced}}, {{a, unreduced}});
    add(DType::f64, {5}, {{a, reduced}, {b, unreduced}}, {{a, unreduced}, {b, reduced}});
  }
}

}  // namespace

std::vector<Example> Binary::examples() {
  std::vector<Example> examples;
  for (BinaryFn fn : {BinaryFn::add, BinaryFn::sub, BinaryFn::mul, BinaryFn::div, BinaryFn::pow,
                      BinaryFn::maximum, BinaryFn::minimum, BinaryFn::rem, BinaryFn::logical_and,
                      BinaryFn::logical_or, BinaryFn::logical_xor, BinaryFn::atan2, BinaryFn::shift_left,
                      BinaryFn::shift_right_arithmetic, BinaryFn::shift_right_logical, BinaryFn::complex})
    add_examples(fn, examples);
  return examples;
}

Array operator+(const Operand& a, const Operand& b) { return binary(BinaryFn::add, a, b); }
Array operator-(const Operand& a, const Operand& b) { return binary(BinaryFn::sub, a, b); }
Array operator*(const Operand& a, const Operand& b) { return binary(BinaryFn::mul, a, b); }
Array operator/(const Operand& a, const Operand& b) { return binary(BinaryFn::div, a, b); }
Array operator%(const Operand& a, const Operand& b) { return binary(BinaryFn::rem, a, b); }
Array& operator+=(Array& a, const Operand& b) { return a = Operand(a, b.where()) + b; }
Array& operator-=(Array& a, const Operand& b) { return a = Operand(a, b.where()) - b; }
Array& operator*=(Array& a, const Operand& b) { return a = Operand(a, b.where()) * b; }
Array& operator/=(Array& a, const Operand& b) { return a = Operand(a, b.where()) / b; }
Array operator&(const Operand& a, const Operand& b) { return binary(BinaryFn::logical_and, a, b); }
Array operator|(const Operand& a, const Operand& b) { return binary(BinaryFn::logical_or, a, b); }
Array operator^(const Operand& a, const Operand& b) { return binary(BinaryFn::logical_xor, a, b); }
Array pow(const Operand& a, const Operand& b) { return binary(BinaryFn::pow, a, b); }
Array maximum(const Operand& a, const Operand& b) { return binary(BinaryFn::maximum, a, b); }
Array minimum(const Operand& a, const Operand& b) { return binary(BinaryFn::minimum, a, b); }
Array rem(const Operand& a, const Operand& b) { return binary(BinaryFn::rem, a, b); }
Array logical_and(const Operand& a, const Operand& b) { return binary(BinaryFn::logical_and, a, b); }
Array logical_or(const Operand& a, const Operand& b) { return binary(BinaryFn::logical_or, a, b); }
Array logical_xor(const Operand& a, const Operand& b) { return binary(BinaryFn::logical_xor, a, b); }
Array atan2(const Operand& a, const Operand& b) { return binary(BinaryFn::atan2, a, b); }
Array shift_left(const Operand& a, const Operand& b) { return binary(BinaryFn::shift_left, a, b); }
Array shift_right_arithmetic(const Operand& a, const Operand& b) {
  return binary(BinaryFn::shift_right_arithmetic, a, b);
}
Array shift_right_logical(const Operand& a, const Operand& b) {
  return binary(BinaryFn::shift_right_logical, a, b);
}

Array complex(const Operand& real, const Operand& imag) { return binary(BinaryFn::complex, real, imag); }
Array conj(const Operand& x) {
  return front_end("conj", x.where(), [&] {
    Array z = as_array(x);
    return complex(real(z), -imag(z));
  });
}

Array square(const Operand& x) {
  return front_end("square", x.where(), [&] {
    Array array = as_array(x);
    return array * array;
  });
}
Array relu(const Operand& x) {
  return front_end("relu", x.where(), [&] {
    Array array = as_array(x), is_cut = array <= 0;
    return select(is_cut, zeros_of(array.type()), array);
  });
}

}  // namespace tutti
