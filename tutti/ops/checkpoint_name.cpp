// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "tutti/base/inside.hpp"
#include "tutti/ops/checkpoint_name.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {

Parameters CheckpointName::parameters() const { return {{"name", fmt::format("'{}'", called)}}; }

Types CheckpointName::infer(const Types& operands) const {
  require(!called.empty(), Code::argument, "the name is empty; give the one that remat's .keep lists");
  return operands;
}

Kernel CheckpointName::kernel(const Layout& layout) const {
  return kernel::identity_view(layout.results()[0].shape());
}

Jvp CheckpointName::jvp(const Arrays& operands, const Tangents& tangents) const {
  return {{apply_one(*this, {operands[0]})}, {tangents[0]}};
}

Tangents CheckpointName::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {cotangents[0]};
}

BatchedArrays CheckpointName::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered CheckpointName::lower(Emitter&, const Lowered& operands) const { return operands; }

std::vector<Example> CheckpointName::examples() {
  const Axes& axes = example_mesh().axes();
  return {{CheckpointName{"hidden"}, {Type(DType::f64, {3, 2}, {{axes[0], varying}, {axes[1], unreduced}})}},
          {CheckpointName{"scale"}, {Type(DType::f32, {})}},
          {CheckpointName{"row"}, {Type(DType::i32, {5}, {{axes[2], reduced}})}}};
}

Array checkpoint_name(const Operand& x, const std::string& name) {
  return front_end("checkpoint_name", x.where(),
                   [&] { return apply_one(CheckpointName{name}, {as_array(x)}); });
}

}  // namespace tutti
