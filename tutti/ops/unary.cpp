// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/unary.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

bool takes_integers(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg:
    case UnaryFn::abs:
    case UnaryFn::sign: return true;
    case UnaryFn::exp:
    case UnaryFn::log:
    case UnaryFn::tanh:
    case UnaryFn::sqrt:
    case UnaryFn::rsqrt:
    case UnaryFn::logistic: return false;
  }
  return false;
}

// The derivative at x, where fn is y, times the tangent t. None: zero everywhere.
std::optional<Array> tangent_of(UnaryFn fn, const Array& x, const Array& y, const Array& t) {
  switch (fn) {
    case UnaryFn::neg: return -t;
    case UnaryFn::exp: return y * t;
    case UnaryFn::log: return t / x;
    case UnaryFn::tanh: return (1 - y * y) * t;
    case UnaryFn::sqrt: return t / (2 * y);
    case UnaryFn::rsqrt: return (-0.5 * (y / x)) * t;
    case UnaryFn::logistic: return (y * (1 - y)) * t;
    case UnaryFn::abs: return sign(x) * t;
    case UnaryFn::sign: return std::nullopt;
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
    case UnaryFn::sign: return {type, -2, -0.2};
    case UnaryFn::neg:
    case UnaryFn::exp:
    case UnaryFn::tanh:
    case UnaryFn::logistic: return {type, -2, 2};
  }
  return {type};
}

Array unary(UnaryFn fn, const Operand& x) {
  return front_end(name(fn), x.where(), [&] { return apply_one(Unary{fn}, {as_array(x)}); });
}

}  // namespace

Mixing Unary::mixing() const { return fn == UnaryFn::neg ? Mixing::linear : Mixing::alike; }

Types Unary::infer(const Types& operands) const {
  Type x = operands[0];
  if (takes_integers(fn))
    require(x.dtype() != DType::boolean, Code::dtype,
            "{} is neither float nor integer; convert it: convert(x, DType::i32)", to_string(x));
  else
    require(is_float(x.dtype()), Code::dtype, "{} is not float; convert it: convert(x, DType::f32)",
            to_string(x));
  return {x.with(agreed_states(operands, mixing()))};
}

Kernel Unary::kernel(const Layout&) const { return Pointwise{fn}; }

Jvp Unary::jvp(const Arrays& operands, const Tangents& tangents) const {
  Array y = apply_one(*this, operands);
  if (!tangents[0]) return {{y}, {std::nullopt}};
  return {{y}, {tangent_of(fn, operands[0], y, *tangents[0])}};
}

Tangents Unary::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {-*cotangents[0]};
}

std::string_view Unary::refusal(Rule rule) const {
  return rule == Rule::transpose && fn != UnaryFn::neg ? "it is not linear" : "";
}

BatchedArrays Unary::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered Unary::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit(stablehlo_name(fn), operands, emitter.result_types()[0])};
}

std::vector<Example> Unary::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  std::vector<Example> examples;
  for (UnaryFn fn : {UnaryFn::neg, UnaryFn::exp, UnaryFn::log, UnaryFn::tanh, UnaryFn::sqrt, UnaryFn::rsqrt,
                     UnaryFn::logistic, UnaryFn::abs, UnaryFn::sign}) {
    auto add = [&](Type type) { examples.push_back({Unary{fn}, {example_operand(fn, type)}}); };
    add(Type(DType::f64, {2, 3}, {{a, varying}}));
    add(Type(DType::f64, {5}, {{b, reduced}}));
    add(Type(DType::f32, {}));
    add(Type(DType::f32, {3, 5}, {{a, varying}, {b, reduced}}));
    if (takes_integers(fn)) add(Type(DType::i32, {7}, {{a, varying}}));
    if (Unary{fn}.mixing() == Mixing::linear) add(Type(DType::f64, {3}, {{a, varying}, {b, unreduced}}));
  }
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

}  // namespace tutti
