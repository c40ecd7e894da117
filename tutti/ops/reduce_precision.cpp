// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reduce_precision.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tensor/loops/plain/reduce_precision.hpp"

namespace tutti {

Parameters ReducePrecision::parameters() const {
  return {{"exponent_bits", std::to_string(exponent_bits)}, {"mantissa_bits", std::to_string(mantissa_bits)}};
}

Types ReducePrecision::infer(const Types& operands) const {
  const Type& x = operands[0];
  constexpr std::int64_t most = 1 << 30;  // StableHLO has 32 bits for each
  require(1 <= exponent_bits && exponent_bits <= most, Code::shape,
          "exponent_bits = {}; it is at least 1 (reduce_precision_c2)", exponent_bits);
  require(0 <= mantissa_bits && mantissa_bits <= most, Code::shape,
          "mantissa_bits = {}; it is at least 0 (reduce_precision_c3)", mantissa_bits);
  require(is_float(x.dtype()), Code::dtype,
          "{} is not of floats, so it has no exponent to shorten; convert it: {}", x,
          conversion_to(DType::f32));
  return {x.with(agreed_states(operands, mixing()))};
}

Kernel ReducePrecision::kernel(const Layout& layout) const {
  const Type x = layout.operands()[0];
  const auto bytes = static_cast<std::int64_t>(bytes_per_element(x.dtype()));
  constexpr std::int64_t block_bytes = 1 << 12;  // whole cache lines, and few enough blocks to count
  return kernel::Opaque{.nanoseconds = 20 + 0.15 * static_cast<double>(x.bytes()),
                        .run =
                            [op = *this, dtype = x.dtype(), bytes](const kernel::Unit& unit) {
                              const std::int64_t at = unit.lines.begin * bytes;
                              ops::reduce_precision(unit.results[0] + at, unit.operands[0] + at,
                                                    unit.lines.count(), dtype, op.exponent_bits,
                                                    op.mantissa_bits);
                            },
                        .shared = {.lines = x.elements(), .block = block_bytes / bytes}};
}

Jvp ReducePrecision::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents ReducePrecision::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(*this, {*cotangents[0]})};
}

BatchedArrays ReducePrecision::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered ReducePrecision::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.reduce_precision", operands, emitter.result_types()[0],
                       {{"exponent_bits", {stablehlo::Integer{exponent_bits, "i32"}}},
                        {"mantissa_bits", {stablehlo::Integer{mantissa_bits, "i32"}}}})};
}

std::vector<Example> ReducePrecision::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples{
      {ReducePrecision{11, 52}, {Type(DType::f64, {5}).with(axes[0], varying).with(axes[1], unreduced)}},
      {ReducePrecision{8, 60}, {Type(DType::f64, {2, 3}).with(axes[2], reduced)}},
      {ReducePrecision{8, 7}, {Type(DType::f32, {3, 5}).with(axes[0], varying)}},
      {ReducePrecision{5, 10}, {Type(DType::f32, {7}).with(axes[1], unreduced)}},
      {ReducePrecision{4, 6}, {Type(DType::f32, {})}},
      {ReducePrecision{8, 23}, {Type(DType::f32, {0})}},
      {ReducePrecision{9, 3}, {Type(DType::f32, {1})}},
  };
  for (DType dtype : more_dtypes())
    if (is_float(dtype)) examples.push_back({ReducePrecision{5, 6}, {Type(dtype, {3, 5})}});
  return examples;
}

Array reduce_precision(const Operand& x, std::int64_t exponent_bits, std::int64_t mantissa_bits) {
  return front_end(ReducePrecision::name, x.where(),
                   [&] { return apply_one(ReducePrecision{exponent_bits, mantissa_bits}, {as_array(x)}); });
}

}  // namespace tutti
