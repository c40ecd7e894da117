// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/all_gather.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

// [n, block] -> [n, group size, block]: each position gets those of its group, in the group's order.
Array blocks_of_groups(const Array& all, const Groups& groups) {
  std::vector<int> rows;
  for (PlaceInGroup own : places_in(groups))
    for (int source : groups[static_cast<std::size_t>(own.group)]) rows.push_back(source);
  Shape shape = all.shape().inserted(Dim{1}, static_cast<std::int64_t>(groups[0].size()));
  return reshape(take_rows(all, rows), shape);
}

}  // namespace

Parameters AllGather::parameters() const {
  Parameters parameters{{"axes", to_string(axes)},
                        {"dim", std::to_string(dim.index)},
                        {"stacking", std::string(ops::name(stacking))},
                        {"to", {letter(to)}}};
  if (!groups.empty()) parameters.emplace_back("groups", to_string(groups));
  return parameters;
}

std::vector<AxisStates> AllGather::wants(const Types& operands) const {
  return {varying_over(operands[0], axes)};
}

Types AllGather::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_groups(groups, axes, GroupSizes::equal);
  require(!groups.empty() || to == State::invariant || to == State::reduced, Code::state,
          "the result of an all_gather is equal on all devices: I or R, not {}", letter(to));
  require(groups.empty() || to == State::varying, Code::state,
          "a value gathered in groups is equal in each group only, so it is V, not {}; use .to = varying",
          letter(to));
  require_states(x, axes, {State::varying}, "a gather takes blocks, not terms; use psum or psum_scatter");
  return {stacked(x, dim, stacking, group_size(groups, axes), "all_gather_c1").with(axes, to)};
}

Traffic AllGather::traffic(const Types& operands) const { return gather_traffic(operands[0], axes, groups); }

Kernel AllGather::kernel(const Layout& layout) const {
  if (groups.empty()) return stacking_view(layout.results()[0], dim, stacking, axes);
  kernel::Shuffle shuffle =
      shuffle_of_blocks(layout.operands()[0].shape(), {}, dim, stacking, group_size(groups, axes));
  const PeerFinder finder(layout, axes, groups);
  for (int device = 0; device < layout.devices(); ++device)
    for (int source : finder.of(device).devices) shuffle.pieces.push_back({{source}});
  return shuffle;
}

Jvp AllGather::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// Each device's cotangent is its own block of what everybody holds: equal on all (I), or terms of it (R's
// dual, U).
Tangents AllGather::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  if (group_size(groups, axes) == 0) return {zero_tangent(dual(operands[0].type))};  // nothing to split
  if (!groups.empty()) return {reduce_scatter(*cotangents[0], axes, dim, stacking, groups)};
  if (to == State::reduced) return {reduce_scatter(*cotangents[0], axes, dim, stacking)};
  return {own_block(*cotangents[0], axes, dim, stacking)};
}

// Over one of our own axes batching has gathered already: dim 0 holds that axis' blocks.
BatchedArrays AllGather::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const Batched& x = operands[0];
  if (!contains(axes, axis))
    return {{all_gather(x.array, axes, Dim{dim.index + x.batched}, stacking, to, groups), x.batched}};
  if (!groups.empty()) {
    Array gathered = blocks_of_groups(of_all_positions(x, axes, axis), groups);
    return to_own_positions(lay_blocks(gathered, Dim{1}, Dim{dim.index + 1}, stacking), axes, axis);
  }
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
  stablehlo::Attributes attributes = emitter.collective(axes, true, groups);
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
  for (const Axes& axes : example_axis_tuples()) {
    if (joint_size(axes) != 4) continue;
    Type x = Type(DType::f32, {3, 2}).with(axes, State::varying);
    examples.push_back({AllGather{axes, Dim{1}, Stacking::new_dim, State::varying, {{0, 2}, {3, 1}}}, {x}});
    examples.push_back({AllGather{axes, Dim{0}, Stacking::tiled, State::varying, {{3, 0}, {1, 2}}}, {x}});
  }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back({AllGather{{a}, Dim{0}}, {Type(DType::i32, {}).with(a, State::varying)}});
  examples.push_back({AllGather{{a}, Dim{0}}, {Type(DType::boolean, {3}).with(a, State::varying)}});
  return examples;
}

Array ops::all_gather(const Array& x, const Axes& axes, Dim dim, Stacking stacking, State to,
                      const Groups& groups) {
  return apply_one(AllGather{axes, dim, stacking, to, groups}, {x});
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
    if (options.to != State::varying || !options.groups.empty())
      return all_gather(blocks, over, dim, stacking, options.to, options.groups);
    return cast_to(all_gather(blocks, over, dim, stacking, State::reduced), over, State::varying);
  });
}

}  // namespace tutti
