// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

stablehlo::Value sent_to_all(Emitter& emitter, const Broadcast& op, stablehlo::Value x, Type type,
                             Type result) {
  bool as_integers = is_float(type.dtype());
  Type bits = as_integers ? type.with(integer_as_wide_as(type.dtype())) : type;
  if (as_integers) x = emitter.emit("stablehlo.bitcast_convert", {x}, bits);
  stablehlo::Value source = emitter.constant(Tensor::scalar(static_cast<std::int32_t>(op.from)));
  stablehlo::Value here =
      emitter.emit("stablehlo.compare", {emitter.position(op.axes), source}, Type(DType::boolean, {}),
                   {{"comparison_direction", stablehlo::enumeration("comparison_direction", "EQ")}});
  stablehlo::Value zeros = emitter.constant(Tensor(bits.shape(), bits.dtype()));
  stablehlo::Value kept = emitter.emit("stablehlo.select", {here, x, zeros}, bits);
  ReduceKind kind = bits.dtype() == DType::boolean ? ReduceKind::max : ReduceKind::sum;
  stablehlo::Value sent = emitter.emit_with_reducer("stablehlo.all_reduce", kind, {kept}, bits,
                                                    emitter.collective(op.axes, true));
  return as_integers ? emitter.emit("stablehlo.bitcast_convert", {sent}, result) : sent;
}

}  // namespace

Parameters Broadcast::parameters() const {
  return {{"axes", to_string(axes)}, {"from", std::to_string(from)}};
}

std::vector<AxisStates> Broadcast::wants(const Types& operands) const {
  return {varying_over(operands[0], axes)};
}

Types Broadcast::infer(const Types& operands) const {
  require(from >= 0 && from < joint_size(axes), Code::groups, "there is no device {} along {}; it has {}",
          from, axes, devices_of(joint_size(axes)));
  require_states(operands[0], axes, {State::varying}, "one device's term is not the sum; use psum");
  return {operands[0].with(axes, State::invariant)};
}

Traffic Broadcast::traffic(const Types& operands) const { return first_traffic(operands[0], axes); }

Kernel Broadcast::kernel(const Layout& layout) const {
  std::vector<int> source;
  for (int device = 0; device < layout.devices(); ++device) source.push_back(layout.peer(axes, device, from));
  return kernel::shuffle_of(source, layout.operands()[0].shape());
}

Jvp Broadcast::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Broadcast::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(Mask{axes, from, State::varying}, {*cotangents[0]})};
}

BatchedArrays Broadcast::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  Array value = operands[0].array;
  if (operands[0].batched) value = take_lane(value, coordinate_of(axes, from, axis));
  Axes rest = without(axes, axis);
  return {{rest.empty() ? value : broadcast(value, rest, position_in_rest(axes, from, axis)), false}};
}

// As a sum in which the other devices' terms are zero: XLA on CPU has no collective_broadcast. Floats are
// summed as integers, so that every bit arrives: as floats, -0 would become +0.
// Complex numbers go part by part.
Lowered Broadcast::lower(Emitter& emitter, const Lowered& operands) const {
  Type type = emitter.operand_types()[0], result = emitter.result_types()[0];
  if (!is_complex(type.dtype())) return {sent_to_all(emitter, *this, operands[0], type, result)};
  Type part = type.with(part_of(type.dtype())), sent = result.with(part.dtype());
  Lowered parts;
  for (const char* op : {"stablehlo.real", "stablehlo.imag"})
    parts.push_back(sent_to_all(emitter, *this, emitter.emit(op, operands, part), part, sent));
  return {emitter.emit("stablehlo.complex", parts, result)};
}

std::vector<Example> Broadcast::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples())
    for (int from : {0, joint_size(axes) - 1})
      examples.push_back({Broadcast{axes, from}, {Type(DType::f64, {3, 2}).with(axes, State::varying)}});
  const Axis &a = example_mesh().axes()[0], &b = example_mesh().axes()[1];
  examples.push_back({Broadcast{{b, a}, 1}, {Type(DType::f32, {}).with({a, b}, State::varying)}});
  examples.push_back({Broadcast{{a}, 1}, {Type(DType::boolean, {3}).with(a, State::varying)}});
  return examples;
}

Array ops::broadcast(const Array& x, const Axes& axes, int from) {
  return apply_one(Broadcast{axes, from}, {x});
}

Array pbroadcast(const Operand& x, const AxisNames& axes, const PbroadcastOptions& options) {
  return front_end("pbroadcast", x.where(),
                   [&] { return broadcast(as_array(x), axes.resolve(), options.source); });
}

}  // namespace tutti
