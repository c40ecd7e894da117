// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {

Types StopGradient::infer(const Types& operands) const { return operands; }

Kernel StopGradient::kernel(const Layout& layout) const {
  return kernel::identity_view(layout.results()[0].shape());
}

Jvp StopGradient::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays StopGradient::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered StopGradient::lower(Emitter&, const Lowered& operands) const { return operands; }

std::vector<Example> StopGradient::examples() {
  const Axes& axes = example_mesh().axes();
  return {{StopGradient{}, {Type(DType::f32, {})}},
          {StopGradient{}, {Type(DType::f64, {3, 2}, {{axes[0], varying}, {axes[1], unreduced}})}},
          {StopGradient{}, {Type(DType::i32, {5}, {{axes[2], reduced}})}}};
}

Array stop_gradient(const Operand& x) {
  return front_end("stop_gradient", x.where(), [&] { return apply_one(StopGradient{}, {as_array(x)}); });
}

}  // namespace tutti
