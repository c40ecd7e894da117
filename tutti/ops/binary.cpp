// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/binary.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary_table.hpp"
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

// Division that truncates and the or of bools are linear in name only.
bool is_linear(BinaryFn fn, DType dtype) {
  return dtype != DType::boolean && (fn != BinaryFn::div || is_inexact(dtype));
}

void require_taken(BinaryFn fn, Type x) {
  if (contains(facts_of(fn).dtypes, x.dtype())) return;
  require(fn != BinaryFn::complex, Code::dtype, "the parts are {}, not f32 or f64; convert them: {}", x,
          conversion_to(DType::f32));
  require(!is_complex(x.dtype()), Code::dtype,
          "{} is complex, for which it is not defined; apply it to the parts: real(x), imag(x)", x);
  require(fn != BinaryFn::atan2, Code::dtype, "{} is not float; convert it: {}", x,
          conversion_to(DType::f32));
  fail(Code::dtype, "{} is {}; convert it: {}", to_string(x),
       is_float(x.dtype()) ? "float" : "neither float nor integer", conversion_to(DType::i32));
}

void require_no_sum(Type denominator) {
  for (const auto& [axis, state] : denominator.states())
    if (state == State::unreduced)
      fail(Code::state,
           "the denominator is {} ({}); one over a sum is not the sum of one over its terms. Reduce first: "
           "psum(denominator, \"{}\")",
           in_words(denominator, axis), denominator, axis.name);
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

// The term of the tangent of z = fn(x, y) that comes from t, the tangent of x or of y.
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

Array binary(BinaryFn fn, const Operand& a, const Operand& b) {
  return front_end(name(fn), a.where(), [&] {
    auto [x, y] = as_equal_shapes(a, b);
    return apply_one(Binary{fn}, {x, y});
  });
}

}  // namespace

About Binary::about() const { return {facts_of(fn).summary, facts_of(fn).front_ends}; }

Mixing Binary::mixing() const {
  switch (facts_of(fn).linear) {
    case BinaryFacts::Linear::in_both: return Mixing::linear;
    case BinaryFacts::Linear::in_each: return Mixing::bilinear;
    case BinaryFacts::Linear::no: break;
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
  return {emitter.emit(facts_of(fn).stablehlo, operands, emitter.result_types()[0])};
}

namespace {

void add_examples(BinaryFn fn, std::vector<Example>& examples) {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  auto add = [&](DType dtype, const Shape& shape, const AxisStates& x, const AxisStates& y) {
    if (contains(facts_of(fn).dtypes, dtype))
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
  for (const BinaryFacts& facts : all_binary_facts()) add_examples(facts.fn, examples);
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
