// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/unary.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

enum class Takes {
  numbers,  // all but bool
  bits,     // integers and bool
  complex,
  floats,
  floats_and_complex
};
Takes takes(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg:
    case UnaryFn::abs:
    case UnaryFn::sign: return Takes::numbers;
    case UnaryFn::logical_not: return Takes::bits;
    case UnaryFn::real:
    case UnaryFn::imag: return Takes::complex;
    case UnaryFn::exp:
    case UnaryFn::log:
    case UnaryFn::tanh:
    case UnaryFn::sqrt:
    case UnaryFn::rsqrt:
    case UnaryFn::logistic:
    case UnaryFn::sin:
    case UnaryFn::cos:
    case UnaryFn::log1p:
    case UnaryFn::expm1: return Takes::floats_and_complex;
    case UnaryFn::erf:
    case UnaryFn::erf_inv:
    case UnaryFn::round:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::is_finite: return Takes::floats;
  }
  return Takes::floats;
}

bool takes(UnaryFn fn, DType dtype) {
  switch (takes(fn)) {
    case Takes::numbers: return dtype != DType::boolean;
    case Takes::bits: return !is_inexact(dtype);
    case Takes::complex: return is_complex(dtype);
    case Takes::floats: return is_float(dtype);
    case Takes::floats_and_complex: return is_inexact(dtype);
  }
  return false;
}

[[noreturn]] void refuse(UnaryFn fn, Type x) {
  switch (takes(fn)) {
    case Takes::numbers:
      fail(Code::dtype, "{} is neither float nor integer; convert it: convert(x, DType::i32)", to_string(x));
    case Takes::bits:
      fail(Code::dtype, "{} is {}, which has no bits to turn; compare it: equal(x, 0)", to_string(x),
           is_float(x.dtype()) ? "float" : "complex");
    case Takes::complex:
      fail(Code::dtype, "{} is not complex, it is its own real part; use it as it is", to_string(x));
    case Takes::floats:
    case Takes::floats_and_complex: break;
  }
  if (is_complex(x.dtype()))
    fail(Code::dtype, "{} is complex, for which it is not defined; apply it to the parts: real(x), imag(x)",
         to_string(x));
  fail(Code::dtype, "{} is not float; convert it: convert(x, DType::f32)", to_string(x));
}

DType dtype_of_result(UnaryFn fn, DType dtype) {
  if (fn == UnaryFn::is_finite) return DType::boolean;
  bool is_part = fn == UnaryFn::abs || fn == UnaryFn::real || fn == UnaryFn::imag;
  return is_part && is_complex(dtype) ? part_of(dtype) : dtype;
}

constexpr double two_over_sqrt_pi = 1.12837916709551257390;
constexpr double half_sqrt_pi = 0.88622692545275801365;

// How far t goes into the direction of the complex number y.
Array along(const Array& y, const Array& t) { return real(y) * real(t) + imag(y) * imag(t); }

// The derivative at x, where fn is y, times the tangent t. None: zero everywhere.
std::optional<Array> tangent_of(UnaryFn fn, const Array& x, const Array& y, const Array& t) {
  bool of_complex = is_complex(x.dtype());
  switch (fn) {
    case UnaryFn::neg: return -t;
    case UnaryFn::exp: return y * t;
    case UnaryFn::log: return t / x;
    case UnaryFn::tanh: return (1 - y * y) * t;
    case UnaryFn::sqrt: return t / (2 * y);
    case UnaryFn::rsqrt: return (-0.5 * (y / x)) * t;
    case UnaryFn::logistic: return (y * (1 - y)) * t;
    case UnaryFn::abs: return of_complex ? along(sign(x), t) : sign(x) * t;
    case UnaryFn::sin: return cos(x) * t;
    case UnaryFn::cos: return -(sin(x) * t);
    case UnaryFn::log1p: return t / (1 + x);
    case UnaryFn::expm1: return (y + 1) * t;
    case UnaryFn::erf: return (two_over_sqrt_pi * exp(-(x * x))) * t;
    case UnaryFn::erf_inv: return (half_sqrt_pi * exp(y * y)) * t;
    case UnaryFn::sign:
      if (!of_complex) return std::nullopt;
      return select(not_equal(x, 0), (t - y * convert(along(y, t), t.dtype())) / convert(abs(x), t.dtype()),
                    zeros_like(t));
    case UnaryFn::real: return real(t);
    case UnaryFn::imag: return imag(t);
    case UnaryFn::round:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::is_finite:
    case UnaryFn::logical_not: return std::nullopt;
  }
  return std::nullopt;
}

std::string_view stablehlo_name(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg: return "stablehlo.negate";
    case UnaryFn::exp: return "stablehlo.exponential";
    case UnaryFn::log: return "stablehlo.log";
    case UnaryFn::tanh: return "stablehlo.tanh";
    case UnaryFn::sqrt: return "stablehlo.sqrt";
    case UnaryFn::rsqrt: return "stablehlo.rsqrt";
    case UnaryFn::logistic: return "stablehlo.logistic";
    case UnaryFn::abs: return "stablehlo.abs";
    case UnaryFn::sign: return "stablehlo.sign";
    case UnaryFn::sin: return "stablehlo.sine";
    case UnaryFn::cos: return "stablehlo.cosine";
    case UnaryFn::log1p: return "stablehlo.log_plus_one";
    case UnaryFn::expm1: return "stablehlo.exponential_minus_one";
    case UnaryFn::erf: return "chlo.erf";
    case UnaryFn::erf_inv: return "chlo.erf_inv";
    case UnaryFn::round: return "stablehlo.round_nearest_even";
    case UnaryFn::floor: return "stablehlo.floor";
    case UnaryFn::ceil: return "stablehlo.ceil";
    case UnaryFn::is_finite: return "stablehlo.is_finite";
    case UnaryFn::logical_not: return "stablehlo.not";
    case UnaryFn::real: return "stablehlo.real";
    case UnaryFn::imag: return "stablehlo.imag";
  }
  return {};
}

// An operand in the domain, away from the kinks.
ExampleOperand example_operand(UnaryFn fn, Type type) {
  switch (fn) {
    case UnaryFn::log:
    case UnaryFn::sqrt:
    case UnaryFn::rsqrt: return {type, 0.2, 3};
    case UnaryFn::abs:
    case UnaryFn::sign:
      if (is_unsigned(type.dtype())) return {type, 0, 2};
      return {type, -2, -0.2};
    case UnaryFn::log1p: return {type, -0.6, 2};
    case UnaryFn::erf_inv: return {type, -0.9, 0.9};
    case UnaryFn::round: return {type, 1.6, 2.4};
    case UnaryFn::floor:
    case UnaryFn::ceil: return {type, 1.1, 1.9};
    case UnaryFn::logical_not: return {type, is_unsigned(type.dtype()) ? 0.0 : -99.0, 99};
    case UnaryFn::neg:
    case UnaryFn::exp:
    case UnaryFn::tanh:
    case UnaryFn::logistic:
    case UnaryFn::sin:
    case UnaryFn::cos:
    case UnaryFn::expm1:
    case UnaryFn::erf:
    case UnaryFn::real:
    case UnaryFn::imag:
    case UnaryFn::is_finite: return {type, -2, 2};
  }
  return {type};
}

Array unary(UnaryFn fn, const Operand& x) {
  return front_end(name(fn), x.where(), [&] { return apply_one(Unary{fn}, {as_array(x)}); });
}

}  // namespace

About Unary::about() const {
  switch (fn) {
    case UnaryFn::neg: return {"-x, element by element.", "-x"};
    case UnaryFn::exp: return {"e to the power of x, element by element.", "exp"};
    case UnaryFn::log: return {"The natural logarithm of x, element by element.", "log"};
    case UnaryFn::tanh: return {"The hyperbolic tangent of x, element by element.", "tanh"};
    case UnaryFn::sqrt: return {"The square root of x, element by element.", "sqrt"};
    case UnaryFn::rsqrt: return {"1 / sqrt(x), element by element.", "rsqrt"};
    case UnaryFn::logistic: return {"1 / (1 + exp(-x)), element by element.", "logistic"};
    case UnaryFn::abs: return {"x without its sign, element by element.", "abs"};
    case UnaryFn::sign: return {"-1, 0 or 1; of -0 and NaN itself; element by element.", "sign"};
    case UnaryFn::sin: return {"The sine of x, element by element.", "sin"};
    case UnaryFn::cos: return {"The cosine of x, element by element.", "cos"};
    case UnaryFn::log1p: return {"log(1 + x), right where x is small, element by element.", "log1p"};
    case UnaryFn::expm1: return {"exp(x) - 1, right where x is small, element by element.", "expm1"};
    case UnaryFn::erf: return {"The error function of x, element by element.", "erf"};
    case UnaryFn::erf_inv:
      return {"The number whose error function is x, element by element.", "erf_inv"};
    case UnaryFn::round:
      return {"The nearest whole number, of two the even one, element by element.", "round"};
    case UnaryFn::floor:
      return {"The largest whole number that is not above x, element by element.", "floor"};
    case UnaryFn::ceil: return {"The smallest whole number that is not below x, element by element.", "ceil"};
    case UnaryFn::is_finite: return {"True where x is neither infinite nor NaN.", "is_finite"};
    case UnaryFn::logical_not: return {"Not x, of bool, or of the bits of an integer.", "logical_not, ~x"};
    case UnaryFn::real: return {"The real part of x, element by element.", "real"};
    case UnaryFn::imag: return {"The imaginary part of x, element by element.", "imag"};
  }
  return {};
}

Mixing Unary::mixing() const {
  return fn == UnaryFn::neg || fn == UnaryFn::real || fn == UnaryFn::imag ? Mixing::linear : Mixing::alike;
}

Types Unary::infer(const Types& operands) const {
  Type x = operands[0];
  if (!takes(fn, x.dtype())) refuse(fn, x);
  return {Type(dtype_of_result(fn, x.dtype()), x.shape(), agreed_states(operands, mixing()))};
}

Kernel Unary::kernel(const Layout&) const { return kernel::Pointwise{fn}; }

Jvp Unary::jvp(const Arrays& operands, const Tangents& tangents) const {
  Array y = apply_one(*this, operands);
  if (!tangents[0]) return {{y}, {std::nullopt}};
  return {{y}, {tangent_of(fn, operands[0], y, *tangents[0])}};
}

Tangents Unary::transpose(const LinearOperands&, const Tangents& cotangents) const {
  const Array& ct = *cotangents[0];
  if (fn == UnaryFn::real) return {complex(ct, zero_tangent(ct.type()))};
  if (fn == UnaryFn::imag) return {complex(zero_tangent(ct.type()), -ct)};
  return {-ct};
}

std::string_view Unary::refusal(Rule rule) const {
  return rule == Rule::transpose && mixing() == Mixing::alike ? "it is not linear" : "";
}

BatchedArrays Unary::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

// StableHLO has no abs and sign of unsigned integers.
Lowered Unary::lower(Emitter& emitter, const Lowered& operands) const {
  Type x = emitter.operand_types()[0];
  if (is_unsigned(x.dtype()) && fn == UnaryFn::abs) return operands;
  if (is_unsigned(x.dtype()) && fn == UnaryFn::sign) {
    stablehlo::Value one = emitter.emit("stablehlo.broadcast_in_dim",
                                        {emitter.constant(Tensor::scalar_of(x.dtype(), std::int64_t{1}))}, x,
                                        {{"broadcast_dimensions", stablehlo::integers({})}});
    return {emitter.emit("stablehlo.minimum", {operands[0], one}, x)};
  }
  return {emitter.emit(stablehlo_name(fn), operands, emitter.result_types()[0])};
}

std::vector<Example> Unary::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  std::vector<Example> examples;
  for (UnaryFn fn :
       {UnaryFn::neg,   UnaryFn::exp,      UnaryFn::log,       UnaryFn::tanh,        UnaryFn::sqrt,
        UnaryFn::rsqrt, UnaryFn::logistic, UnaryFn::abs,       UnaryFn::sign,        UnaryFn::sin,
        UnaryFn::cos,   UnaryFn::log1p,    UnaryFn::expm1,     UnaryFn::erf,         UnaryFn::round,
        UnaryFn::floor, UnaryFn::ceil,     UnaryFn::is_finite, UnaryFn::logical_not, UnaryFn::real,
        UnaryFn::imag,  UnaryFn::erf_inv}) {
    auto add = [&](Type type) { examples.push_back({Unary{fn}, {example_operand(fn, type)}}); };
    for (DType dtype : more_dtypes())
      if (takes(fn, dtype)) add(Type(dtype, {3, 5}, {{a, varying}}));
    if (takes(fn, DType::f64)) {
      add(Type(DType::f64, {2, 3}, {{a, varying}}));
      add(Type(DType::f64, {5}, {{b, reduced}}));
      add(Type(DType::f32, {}));
      add(Type(DType::f32, {3, 5}, {{a, varying}, {b, reduced}}));
    }
    if (takes(fn, DType::i32)) add(Type(DType::i32, {7}, {{a, varying}}));
    if (takes(fn) == Takes::bits) {
      add(Type(DType::i64, {2, 0}));
      add(Type(DType::boolean, {}));
      add(Type(DType::boolean, {3, 5}, {{a, varying}, {b, reduced}}));
    }
    if (fn == UnaryFn::neg) add(Type(DType::f64, {3}, {{a, varying}, {b, unreduced}}));
  }
  for (UnaryFn fn : {UnaryFn::real, UnaryFn::imag})
    examples.push_back({Unary{fn}, {{Type(DType::complex128, {3}, {{a, varying}, {b, unreduced}})}}});
  examples.push_back({Unary{UnaryFn::abs}, {{Type(DType::f64, {5}, {{a, varying}}), 0.2, 2}}});
  return examples;
}

Array operator-(const Operand& x) { return unary(UnaryFn::neg, x); }
Array exp(const Operand& x) { return unary(UnaryFn::exp, x); }
Array log(const Operand& x) { return unary(UnaryFn::log, x); }
Array tanh(const Operand& x) { return unary(UnaryFn::tanh, x); }
Array sqrt(const Operand& x) { return unary(UnaryFn::sqrt, x); }
Array rsqrt(const Operand& x) { return unary(UnaryFn::rsqrt, x); }
Array logistic(const Operand& x) { return unary(UnaryFn::logistic, x); }
Array abs(const Operand& x) { return unary(UnaryFn::abs, x); }
Array sign(const Operand& x) { return unary(UnaryFn::sign, x); }
Array sin(const Operand& x) { return unary(UnaryFn::sin, x); }
Array cos(const Operand& x) { return unary(UnaryFn::cos, x); }
Array log1p(const Operand& x) { return unary(UnaryFn::log1p, x); }
Array expm1(const Operand& x) { return unary(UnaryFn::expm1, x); }
Array erf(const Operand& x) { return unary(UnaryFn::erf, x); }
Array erf_inv(const Operand& x) { return unary(UnaryFn::erf_inv, x); }
Array round(const Operand& x) { return unary(UnaryFn::round, x); }
Array floor(const Operand& x) { return unary(UnaryFn::floor, x); }
Array ceil(const Operand& x) { return unary(UnaryFn::ceil, x); }
Array is_finite(const Operand& x) { return unary(UnaryFn::is_finite, x); }
Array logical_not(const Operand& x) { return unary(UnaryFn::logical_not, x); }
Array operator~(const Operand& x) { return unary(UnaryFn::logical_not, x); }
Array real(const Operand& x) { return unary(UnaryFn::real, x); }
Array imag(const Operand& x) { return unary(UnaryFn::imag, x); }

}  // namespace tutti
