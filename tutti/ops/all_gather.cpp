// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/all_gather.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/own_block.hpp"
#include "tutti/ops/reduce_scatter.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {

Parameters AllGather::parameters() const {
  return {{"axes", to_string(axes)},
          {"dim", std::to_string(dim.index)},
          {"stacking", std::string(tutti::name(stacking))},
          {"to", {letter(to)}}};
}

std::vector<AxisStates> AllGather::wants(const Types& operands) const {
  AxisStates wanted = operands[0].states();
  for (const Axis& axis : axes)
    if (wanted.at(axis) != State::unreduced) wanted.set(axis, State::varying);
  return {wanted};
}

Types AllGather::infer(const Types& operands) const {
  const Type& x = operands[0];
  require(to == State::invariant || to == State::reduced, Code::state,
          "the result of an all_gather is equal on all devices: I or R, not {}", letter(to));
  require_states(x, axes, {State::varying}, "a gather takes blocks, not terms; use psum or psum_scatter");
  return {stacked(x, dim, stacking, joint_size(axes), "all_gather_c1").with(axes, to)};
}

Kernel AllGather::kernel(const Layout& layout) const {
  return stacking_view(layout.results()[0], dim, stacking, axes);
}

Jvp AllGather::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// Each device's cotangent is its own block of what everybody holds: equal on all (I), or terms of it (R's dual, U).
Tangents AllGather::transpose(const LinearOperands&, const Tangents& cotangents) const {
  if (to == State::reduced) return {reduce_scatter(*cotangents[0], axes, dim, stacking)};
  return {own_block(*cotangents[0], axes, dim, stacking)};
}

// Over one of our own axes batching has gathered already: dim 0 holds that axis' blocks.
BatchedArrays AllGather::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const Batched& x = operands[0];
  if (!contains(axes, axis))
    return {{all_gather(x.array, axes, Dim{dim.index + x.batched}, stacking, to), x.batched}};
  Array blocks = materialised(x, axis);
  Axes rest = without(axes, axis);
  blocks =
      rest.empty() ? insert_dim(blocks, Dim{0}, 1) : all_gather(blocks, rest, Dim{0}, Stacking::new_dim, to);
  return {{merge_lanes(blocks, axes, axis, dim, stacking), false}};
}

Lowered AllGather::lower(Emitter& emitter, const Lowered& operands) const {
  Lowered x = operands;
  if (stacking == Stacking::new_dim)
    x = {emitter.emit("stablehlo.reshape", x, emitter.operand_types()[0].inserted(dim, 1))};
  stablehlo::Attributes attributes = emitter.collective(axes, true);
  attributes.emplace_back("all_gather_dim", stablehlo::integer(dim.index));
  return {emitter.emit("stablehlo.all_gather", x, emitter.result_types()[0], std::move(attributes))};
}

std::vector<Example> AllGather::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples())
    for (State to : {State::invariant, State::reduced}) {
      Type x = Type(DType::f32, {3, 2}).with(axes, State::varying);
      examples.push_back({AllGather{axes, Dim{1}, Stacking::new_dim, to}, {x}});
      examples.push_back({AllGather{axes, Dim{1}, Stacking::tiled, to}, {x}});
      examples.push_back({AllGather{axes, Dim{0}, Stacking::tiled, to}, {x.with(DType::f64)}});
    }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back({AllGather{{a}, Dim{0}}, {Type(DType::i32, {}).with(a, State::varying)}});
  examples.push_back({AllGather{{a}, Dim{0}}, {Type(DType::boolean, {3}).with(a, State::varying)}});
  return examples;
}

Array all_gather(const Array& x, const Axes& axes, Dim dim, Stacking stacking, State to) {
  return apply_one(AllGather{axes, dim, stacking, to}, {x});
}

Array all_gather(const Operand& x, const AxisNames& axes, const AllGatherOptions& options) {
  return front_end("all_gather", x.where(), [&] {
    require(options.to != State::unreduced, Code::state,
            "a gathered value is not a partial sum; use .to = varying, invariant or reduced");
    Array blocks = as_array(x);
    Stacking stacking = options.tiled ? Stacking::tiled : Stacking::new_dim;
    int rank = blocks.rank() + (options.tiled ? 0 : 1);
    bool from_end =
        -rank <= options.dim && options.dim < 0;  // else, if negative, it is refused as it was written
    Dim dim{from_end ? options.dim + rank : options.dim};
    Axes over = axes.resolve();
    if (options.to != State::varying) return all_gather(blocks, over, dim, stacking, options.to);
    return cast_to(all_gather(blocks, over, dim, stacking, State::reduced), over, State::varying);
  });
}

}  // namespace tutti
