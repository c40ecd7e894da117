// SPDX-License-Identifier: Apache-2.0
#include "soft_threshold.hpp"

#include <cmath>

namespace rod {
namespace {

// A NaN stays one.
double thresholded(double x, double t) {
  const double left = std::fabs(x) - t;
  if (x == 0) return std::isnan(left) ? left : 0;
  return std::copysign(left < 0 ? 0 : left, x);
}

}  // namespace

Types SoftThreshold::infer(const Types& operands) const {
  require_same_elements(operands[0], operands[1]);
  require(operands[0].dtype() == DType::f64, Code::dtype, "{} is not f64; convert it: convert(x, DType::f64)",
          to_string(operands[0]));
  return {operands[0].with(agreed_states(operands, mixing()))};
}

Kernel SoftThreshold::kernel(const Layout& layout) const {
  const std::int64_t n = layout.results()[0].elements();
  return kernel::Opaque{.nanoseconds = 20 + static_cast<double>(n),
                        .run =
                            [](const kernel::Unit& unit) {
                              const auto* x = reinterpret_cast<const double*>(unit.operands[0]);
                              const auto* t = reinterpret_cast<const double*>(unit.operands[1]);
                              auto* y = reinterpret_cast<double*>(unit.results[0]);
                              for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i)
                                y[i] = thresholded(x[i], t[i]);
                            },
                        .shared = {n}};
}

// Where something is left of x, dy = dx - sign(x) dt; else 0. An absent tangent is zero.
Jvp SoftThreshold::jvp(const Arrays& operands, const Tangents& tangents) const {
  const Array y = apply_one(*this, operands);
  std::optional<Array> dy = tangents[0];
  if (tangents[1]) {
    const Array by_t = -(sign(y) * *tangents[1]);
    dy = sum_of(dy, by_t);
  }
  if (!dy) return {{y}, {std::nullopt}};
  const Array is_left = not_equal(y, 0);
  return {{y}, {select(is_left, *dy, zeros_like(*dy))}};
}

BatchedArrays SoftThreshold::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered SoftThreshold::lower(Emitter& emitter, const Lowered& operands) const {
  const Type type = emitter.result_types()[0];
  auto emit = [&](std::string_view op, const Lowered& of) { return emitter.emit(op, of, type); };
  const stablehlo::Value zero = emitter.constant(Tensor(type.shape(), type.dtype()));
  const stablehlo::Value size = emit("stablehlo.abs", {operands[0]});
  const stablehlo::Value less = emit("stablehlo.subtract", {size, operands[1]});
  const stablehlo::Value left = emit("stablehlo.maximum", {less, zero});
  const stablehlo::Value sign = emit("stablehlo.sign", {operands[0]});
  return {emit("stablehlo.multiply", {sign, left})};
}

// Away from the kink, |x| = t, where no difference is the slope.
std::vector<Example> SoftThreshold::examples() {
  const Type row(DType::f64, {5}), matrix(DType::f64, {2, 3});
  const Axis a = example_mesh().axes()[0];
  return {
      {SoftThreshold{}, {{row, 1, 2}, {row, 0.2, 0.8}}},
      {SoftThreshold{}, {{row.with(a, varying), -2, -1}, {row.with(a, varying), 0.2, 0.8}}},
      {SoftThreshold{}, {{matrix, 0.1, 0.4}, {matrix, 0.6, 1}}},
  };
}

Array soft_threshold(const Operand& x, const Operand& t) {
  return front_end(SoftThreshold::name, x.where(), [&] {
    const auto [left, right] = as_equal_shapes(x, t);
    return apply_one(SoftThreshold{}, {left, right});
  });
}

}  // namespace rod
