// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/convert.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

bool is_linear(DType from, DType to) { return is_inexact(from) && is_inexact(to); }

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
  if (x.dtype() == to) return kernel::identity_view(x.shape());
  return kernel::Pointwise{kernel::ConvertFn{}};
}

Jvp Convert::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (is_linear(operands[0].dtype(), to)) return linear_jvp(*this, operands, tangents);
  return constant_jvp(*this, operands);
}

Tangents Convert::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require(is_linear(operands[0].type.dtype(), to), Code::refused_rule,
          "transpose is refused: only conversions between floats and complex numbers are linear");
  return {convert(*cotangents[0], operands[0].type.dtype())};
}

BatchedArrays Convert::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

// XLA converts complex numbers to complex numbers only.
Lowered Convert::lower(Emitter& emitter, const Lowered& operands) const {
  Type x = emitter.operand_types()[0];
  if (is_complex(x.dtype()) && !is_complex(to)) {
    stablehlo::Value real = emitter.emit("stablehlo.real", operands, x.with(part_of(x.dtype())));
    return {emitter.emit("stablehlo.convert", {real}, emitter.result_types()[0])};
  }
  return {emitter.emit("stablehlo.convert", operands, emitter.result_types()[0])};
}

// Between all dtypes that loops of vectors are compiled for, and from f32 to each other one and back.
std::vector<Example> Convert::examples() {
  const Axes& axes = example_mesh().axes();
  auto is_one_of_more = [](DType dtype) {
    return std::ranges::find(more_dtypes(), dtype) != more_dtypes().end();
  };
  std::vector<Example> examples;
  for (DType from : all_dtypes())
    for (DType to : all_dtypes()) {
      bool is_chosen =
          from == DType::f32 || to == DType::f32 || from == to || (is_complex(from) && is_complex(to));
      if (!is_chosen && (is_one_of_more(from) || is_one_of_more(to))) continue;
      examples.push_back(
          {Convert{to}, {{Type(from, {2, 3}, {{axes[0], varying}}), is_unsigned(from) ? 0.0 : -3.0, 3}}});
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
