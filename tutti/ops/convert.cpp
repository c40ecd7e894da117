// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/convert.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

bool is_linear(DType from, DType to) { return is_float(from) && is_float(to); }

}  // namespace

Parameters Convert::parameters() const { return {{"to", std::string(tutti::name(to))}}; }

// `mixing` knows the result's dtype only; rounding integers is not linear.
Types Convert::infer(const Types& operands) const {
  Type x = operands[0];
  AxisStates states = agreed_states(operands, is_linear(x.dtype(), to) ? Mixing::linear : Mixing::alike);
  return {Type(to, x.shape(), states)};
}

Kernel Convert::kernel(const Layout& layout) const {
  Type x = layout.operands()[0];
  if (x.dtype() == to) return identity_view(x.shape());
  return Pointwise{ConvertFn{}};
}

Jvp Convert::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (is_linear(operands[0].dtype(), to)) return linear_jvp(*this, operands, tangents);
  return constant_jvp(*this, operands);
}

Tangents Convert::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require(is_linear(operands[0].type.dtype(), to), Code::refused_rule,
          "transpose is refused: only a conversion from float to float is linear");
  return {convert(*cotangents[0], operands[0].type.dtype())};
}

BatchedArrays Convert::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered Convert::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.convert", operands, emitter.result_types()[0])};
}

std::vector<Example> Convert::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples;
  for (DType from : all_dtypes())
    for (DType to : all_dtypes()) {
      examples.push_back({Convert{to}, {{Type(from, {2, 3}, {{axes[0], varying}}), -3, 3}}});
      if (is_linear(from, to))
        examples.push_back({Convert{to}, {Type(from, {5}, {{axes[0], unreduced}, {axes[1], reduced}})}});
    }
  return examples;
}

Array convert(const Operand& x, DType to) {
  return front_end("convert", x.where(), [&] {
    Array array = as_array(x);
    return array.dtype() == to ? array : apply_one(Convert{to}, {array});
  });
}

}  // namespace tutti
