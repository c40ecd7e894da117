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
#include "tutti/ops/unary_table.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

DType dtype_of_result(UnaryFn fn, DType dtype) {
  if (fn == UnaryFn::is_finite) return DType::boolean;
  bool is_part = fn == UnaryFn::abs || fn == UnaryFn::real || fn == UnaryFn::imag;
  return is_part && is_complex(dtype) ? part_of(dtype) : dtype;
}

constexpr double two_over_sqrt_pi = 1.12837916709551257390;
constexpr double half_sqrt_pi = 0.88622692545275801365;
constexpr double ln_2 = 0.69314718055994530942, ln_10 = 2.30258509299404568402;

// How far t goes into the direction of the complex number y.
Array along(const Array& y, const Array& t) { return real(y) * real(t) + imag(y) * imag(t); }

// t / (1 - x^2), right where x is near an end of [-1, 1].
Array tangent_of_atanh(const Array& x, const Array& t) {
  Array above = 1 + x, below = 1 - x;
  return t / above / below;
}

// t without its part along y = sign(x), over |x|; 0 at 0, also in reverse.
Array tangent_of_direction(const Array& x, const Array& y, const Array& t) {
  Array is_zero = equal(x, 0), size = select(is_zero, 1, abs(x));
  Array across = t - y * convert(along(y, t), t.dtype());
  Array per_size = across / convert(size, t.dtype());
  return select(is_zero, zeros_like(t), per_size);
}

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
    case UnaryFn::erf_inv:
    case UnaryFn::xla_erf_inv: return (half_sqrt_pi * exp(y * y)) * t;
    case UnaryFn::exp2: return (ln_2 * y) * t;
    case UnaryFn::log2: return t / (ln_2 * x);
    case UnaryFn::log10: return t / (ln_10 * x);
    case UnaryFn::tan: return (1 + y * y) * t;
    case UnaryFn::asin: return rsqrt(1 - x * x) * t;
    case UnaryFn::acos: return -(rsqrt(1 - x * x) * t);
    case UnaryFn::atan: return t / (1 + x * x);
    case UnaryFn::sinh: return cosh(x) * t;
    case UnaryFn::cosh: return sinh(x) * t;
    case UnaryFn::asinh: return rsqrt(x * x + 1) * t;
    case UnaryFn::acosh: return rsqrt(x * x - 1) * t;
    case UnaryFn::atanh: return tangent_of_atanh(x, t);
    case UnaryFn::cbrt: return t / (3 * (y * y));
    case UnaryFn::erfc: return (-two_over_sqrt_pi * exp(-(x * x))) * t;
    case UnaryFn::lgamma: return digamma(x) * t;
    case UnaryFn::digamma: return trigamma(x) * t;
    case UnaryFn::sign: return of_complex ? std::optional(tangent_of_direction(x, y, t)) : std::nullopt;
    case UnaryFn::real: return real(t);
    case UnaryFn::imag: return imag(t);
    case UnaryFn::round:
    case UnaryFn::floor:
    case UnaryFn::ceil:
    case UnaryFn::is_finite:
    case UnaryFn::logical_not:
    case UnaryFn::popcount:
    case UnaryFn::count_leading_zeros:
    case UnaryFn::trigamma: return std::nullopt;  // that of trigamma is refused
  }
  return std::nullopt;
}

Array unary(UnaryFn fn, const Operand& x) {
  return front_end(name(fn), x.where(), [&] { return apply_one(Unary{fn}, {as_array(x)}); });
}

}  // namespace

About Unary::about() const { return {facts_of(fn).summary, facts_of(fn).front_ends}; }

Mixing Unary::mixing() const {
  return facts_of(fn).linear == UnaryFacts::Linear::yes ? Mixing::linear : Mixing::alike;
}

Types Unary::infer(const Types& operands) const {
  Type x = operands[0];
  if (!contains(facts_of(fn).dtypes, x.dtype())) refuse(fn, x);
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
  if (rule == Rule::jvp && fn == UnaryFn::trigamma) return "its derivative, the third of lgamma, is no op";
  return rule == Rule::transpose && mixing() == Mixing::alike ? "it is not linear" : "";
}

BatchedArrays Unary::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

namespace {

stablehlo::Value repeated(Emitter& emitter, double number, Type type) {
  stablehlo::Value one = emitter.constant(Tensor::scalar_of(type.dtype(), number));
  return emitter.emit("stablehlo.broadcast_in_dim", {one}, type,
                      {{"broadcast_dimensions", stablehlo::integers({})}});
}

}  // namespace

// StableHLO has no abs and sign of unsigned integers.
Lowered Unary::lower(Emitter& emitter, const Lowered& operands) const {
  Type x = emitter.operand_types()[0];
  auto with = [&](std::string_view op, double number) {
    stablehlo::Value second = repeated(emitter, number, x);
    return Lowered{emitter.emit(op, {operands[0], second}, x)};
  };
  auto logarithm_over = [&](double number) {
    stablehlo::Value over = emitter.emit("stablehlo.log", operands, x), under = repeated(emitter, number, x);
    return Lowered{emitter.emit("stablehlo.divide", {over, under}, x)};
  };
  if (is_unsigned(x.dtype()) && fn == UnaryFn::abs) return operands;
  if (is_unsigned(x.dtype()) && fn == UnaryFn::sign) return with("stablehlo.minimum", 1);
  if (fn == UnaryFn::log2) return logarithm_over(ln_2);
  if (fn == UnaryFn::log10) return logarithm_over(ln_10);
  if (fn == UnaryFn::exp2)
    return {emitter.emit("stablehlo.power", {repeated(emitter, 2, x), operands[0]}, x)};
  if (fn == UnaryFn::trigamma)
    return {emitter.emit("chlo.polygamma", {repeated(emitter, 1, x), operands[0]}, x)};
  return {emitter.emit(facts_of(fn).stablehlo, operands, emitter.result_types()[0])};
}

std::vector<Example> Unary::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  std::vector<Example> examples;
  for (const UnaryFacts& facts : all_unary_facts()) {
    const UnaryFn fn = facts.fn;
    auto add = [&](Type type) { examples.push_back({Unary{fn}, {example_operand(fn, type)}}); };
    for (DType dtype : more_dtypes())
      if (contains(facts.dtypes, dtype)) add(Type(dtype, {3, 5}, {{a, varying}}));
    if (contains(facts.dtypes, DType::f64)) {
      add(Type(DType::f64, {2, 3}, {{a, varying}}));
      add(Type(DType::f64, {5}, {{b, reduced}}));
      add(Type(DType::f32, {}));
      add(Type(DType::f32, {3, 5}, {{a, varying}, {b, reduced}}));
    }
    if (contains(facts.dtypes, DType::i32)) add(Type(DType::i32, {7}, {{a, varying}}));
    if (fn == UnaryFn::logical_not) {
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
Array exp2(const Operand& x) { return unary(UnaryFn::exp2, x); }
Array log2(const Operand& x) { return unary(UnaryFn::log2, x); }
Array log10(const Operand& x) { return unary(UnaryFn::log10, x); }
Array tan(const Operand& x) { return unary(UnaryFn::tan, x); }
Array asin(const Operand& x) { return unary(UnaryFn::asin, x); }
Array acos(const Operand& x) { return unary(UnaryFn::acos, x); }
Array atan(const Operand& x) { return unary(UnaryFn::atan, x); }
Array sinh(const Operand& x) { return unary(UnaryFn::sinh, x); }
Array cosh(const Operand& x) { return unary(UnaryFn::cosh, x); }
Array asinh(const Operand& x) { return unary(UnaryFn::asinh, x); }
Array acosh(const Operand& x) { return unary(UnaryFn::acosh, x); }
Array atanh(const Operand& x) { return unary(UnaryFn::atanh, x); }
Array cbrt(const Operand& x) { return unary(UnaryFn::cbrt, x); }
Array erfc(const Operand& x) { return unary(UnaryFn::erfc, x); }
Array lgamma(const Operand& x) { return unary(UnaryFn::lgamma, x); }
Array digamma(const Operand& x) { return unary(UnaryFn::digamma, x); }
Array trigamma(const Operand& x) { return unary(UnaryFn::trigamma, x); }
Array popcount(const Operand& x) { return unary(UnaryFn::popcount, x); }
Array count_leading_zeros(const Operand& x) { return unary(UnaryFn::count_leading_zeros, x); }
Array round(const Operand& x) { return unary(UnaryFn::round, x); }
Array floor(const Operand& x) { return unary(UnaryFn::floor, x); }
Array ceil(const Operand& x) { return unary(UnaryFn::ceil, x); }
Array is_finite(const Operand& x) { return unary(UnaryFn::is_finite, x); }
Array logical_not(const Operand& x) { return unary(UnaryFn::logical_not, x); }
Array operator~(const Operand& x) { return unary(UnaryFn::logical_not, x); }
Array real(const Operand& x) { return unary(UnaryFn::real, x); }
Array imag(const Operand& x) { return unary(UnaryFn::imag, x); }

}  // namespace tutti
