// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/own_block.hpp"

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {

Parameters OwnBlock::parameters() const {
  return {{"axes", to_string(axes)},
          {"dim", std::to_string(dim.index)},
          {"stacking", std::string(ops::name(stacking))}};
}

Types OwnBlock::infer(const Types& operands) const {
  require_states(operands[0], axes, {State::invariant},
                 "a device's own block is taken of a value that all hold");
  return {unstacked(operands[0], dim, stacking, axes, "own_block_c1").with(axes, State::varying)};
}

Kernel OwnBlock::kernel(const Layout& layout) const {
  return unstacking_view(layout.operands()[0], dim, stacking, axes);
}

Jvp OwnBlock::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents OwnBlock::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {all_gather(*cotangents[0], axes, dim, stacking, State::invariant)};
}

// Over one of our own axes the blocks along it become the lanes.
BatchedArrays OwnBlock::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const Batched& x = operands[0];
  if (!contains(axes, axis))
    return {{own_block(x.array, axes, Dim{dim.index + x.batched}, stacking), x.batched}};
  Array lanes = split_lanes(x.array, axes, axis, dim, stacking);  // [n of rest, n of axis, block]
  Axes rest = without(axes, axis);
  if (rest.empty()) return {{reshape(lanes, lanes.shape().erased(Dim{0})), true}};
  return {{own_block(lanes, rest, Dim{0}, Stacking::new_dim), true}};
}

Lowered OwnBlock::lower(Emitter& emitter, const Lowered& operands) const {
  const Type& whole = emitter.operand_types()[0];
  std::int64_t block = stacking == Stacking::tiled ? whole.shape()[dim] / joint_size(axes) : 1;
  Type i32(DType::i32, {});
  Lowered starts(static_cast<std::size_t>(whole.rank()), emitter.constant(Tensor::scalar(std::int32_t{0})));
  stablehlo::Value size = emitter.constant(Tensor::scalar(static_cast<std::int32_t>(block)));
  starts[static_cast<std::size_t>(dim.index)] =
      emitter.emit("stablehlo.multiply", {emitter.position(axes), size}, i32);
  starts.insert(starts.begin(), operands[0]);
  Type slice = whole.with(whole.shape().with(dim, block));
  stablehlo::Value own = emitter.emit("stablehlo.dynamic_slice", starts, slice,
                                      {{"slice_sizes", stablehlo::integers(slice.shape().sizes())}});
  if (stacking == Stacking::tiled) return {own};
  return {emitter.emit("stablehlo.reshape", {own}, emitter.result_types()[0])};
}

std::vector<Example> OwnBlock::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    examples.push_back(
        {OwnBlock{axes, Dim{1}, Stacking::new_dim}, {Type(DType::f32, {3, joint_size(axes)})}});
    examples.push_back({OwnBlock{axes, Dim{0}, Stacking::tiled},
                        {Type(DType::f64, {3, 2}).scaled(Dim{0}, joint_size(axes))}});
  }
  examples.push_back(
      {OwnBlock{{example_mesh().axes()[0]}, Dim{0}, Stacking::new_dim}, {Type(DType::i32, {2})}});
  return examples;
}

Array own_block(const Array& x, const Axes& axes, Dim dim, Stacking stacking) {
  return apply_one(OwnBlock{axes, dim, stacking}, {x});
}

}  // namespace tutti
