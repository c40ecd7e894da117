// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/mask.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

Axes axes_in(const Type& x, const Axes& axes, State state) {
  Axes found;
  for (const Axis& axis : axes)
    if (x.at(axis) == state) found.push_back(axis);
  return found;
}

}  // namespace

Parameters Mask::parameters() const {
  return {{"axes", to_string(axes)}, {"at", std::to_string(at)}, {"to", {letter(to)}}};
}

Types Mask::infer(const Types& operands) const {
  // Over no axes `at` is 0: gradients are masked like that, also with no lanes.
  require(at >= 0 && at < std::max(joint_size(axes), 1), Code::groups,
          "there is no device {} along {}; it has {}", at, axes, devices_of(joint_size(axes)));
  require(is_stored_per_device(to), Code::state, "a masked value is U or V, not {}", letter(to));
  constexpr std::string_view advice =
      "only what all devices hold is kept on one; make it equal first, for example with psum";
  if (to == State::varying) require_states(operands[0], axes, {State::invariant}, advice);
  else require_states(operands[0], axes, {State::invariant, State::reduced}, advice);
  if (to == State::unreduced) require_summable(operands[0]);
  return {operands[0].with(axes, to)};
}

Kernel Mask::kernel(const Layout& layout) const {
  std::vector<int> source;
  for (int device = 0; device < layout.devices(); ++device)
    source.push_back(layout.position(axes, device) == at ? device : -1);
  return kernel::shuffle_of(source, layout.operands()[0].shape());
}

Jvp Mask::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Mask::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Array cotangent = *cotangents[0];
  if (joint_size(axes) == 0) return {zero_tangent(dual(operands[0].type))};
  if (to == State::varying) return {broadcast(cotangent, axes, at)};
  Axes equal = axes_in(operands[0].type, axes, State::invariant), partial = axes;
  cotangent = cast_to(cotangent, equal, State::invariant);
  int position = at;
  for (const Axis& axis : equal) {
    position = position_in_rest(partial, position, axis);
    partial = without(partial, axis);
  }
  return {partial.empty() ? cotangent : mask(cotangent, partial, {position})};
}

// Over one of our own axes one lane keeps the value; the other axes are masked after that.
BatchedArrays Mask::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  Array lanes = put_lane(operands[0].array, axis, coordinate_of(axes, at, axis));
  Axes rest = without(axes, axis);
  if (!rest.empty()) lanes = apply_one(Mask{rest, position_in_rest(axes, at, axis), to}, {lanes});
  return {{lanes, true}};
}

Lowered Mask::lower(Emitter& emitter, const Lowered& operands) const {
  const Type& type = emitter.operand_types()[0];
  stablehlo::Value kept = emitter.constant(Tensor::scalar(static_cast<std::int32_t>(at)));
  stablehlo::Value here =
      emitter.emit("stablehlo.compare", {emitter.position(axes), kept}, Type(DType::boolean, {}),
                   {{"comparison_direction", stablehlo::enumeration("comparison_direction", "EQ")}});
  stablehlo::Value zeros = emitter.constant(Tensor(type.shape(), type.dtype()));
  return {emitter.emit("stablehlo.select", {here, operands[0], zeros}, emitter.result_types()[0])};
}

std::vector<Example> Mask::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    int last = joint_size(axes) - 1;
    examples.push_back({Mask{axes, 0, State::unreduced}, {Type(DType::f32, {3, 2})}});
    examples.push_back(
        {Mask{axes, last, State::unreduced}, {Type(DType::f64, {3}).with(axes, State::reduced)}});
    examples.push_back({Mask{axes, last / 2, State::varying}, {Type(DType::f32, {2, 3})}});
  }
  const Axis &a = example_mesh().axes()[0], &b = example_mesh().axes()[1];
  examples.push_back({Mask{{b, a}, 1, State::unreduced}, {Type(DType::f64, {4}).with(a, State::reduced)}});
  return examples;
}

Array mask(const Operand& x, const AxisNames& axes, const MaskOptions& options) {
  return front_end("mask", x.where(), [&] {
    return apply_one(Mask{axes.resolve(), options.at, State::unreduced}, {as_array(x)});
  });
}

Array keep_on_one(const Operand& x, const AxisNames& axes, const MaskOptions& options) {
  return front_end("keep_on_one", x.where(), [&] {
    Array value = as_array(x);
    Axes over = axes.resolve();
    value = cast_to(value, axes_in(value.type(), over, State::reduced), State::invariant);
    return apply_one(Mask{over, options.at, State::varying}, {value});
  });
}

}  // namespace tutti
