// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/reduce_scatter.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

// [n, group size, block] -> [n, block]: each position gets the block at its own place.
Array own_of_groups(const Array& blocks, const Groups& groups) {
  auto size = static_cast<int>(groups[0].size());
  std::vector<int> rows;
  for (PlaceInGroup own : places_in(groups)) rows.push_back(static_cast<int>(rows.size()) * size + own.place);
  Shape all = blocks.shape().erased(Dim{1}).with(Dim{0}, blocks.shape()[0] * size);
  return take_rows(reshape(blocks, all), rows);
}

}  // namespace

Parameters ReduceScatter::parameters() const {
  Parameters parameters{{"axes", to_string(axes)},
                        {"dim", std::to_string(dim.index)},
                        {"stacking", std::string(ops::name(stacking))}};
  if (!groups.empty()) parameters.emplace_back("groups", to_string(groups));
  return parameters;
}

std::vector<AxisStates> ReduceScatter::wants(const Types& operands) const {
  return {groups.empty() ? operands[0].states() : varying_over(operands[0], axes)};
}

Types ReduceScatter::infer(const Types& operands) const {
  require_groups(groups, axes, GroupSizes::equal);
  require_summable(operands[0]);
  if (groups.empty())
    require_states(operands[0], axes, {State::unreduced},
                   "it takes terms of a sum; cast varying values with pcast(x, axes, unreduced)");
  else require_states(operands[0], axes, {State::varying}, only_sums_over_all);
  Type block = unstacked(operands[0], dim, stacking, axes, "reduce_scatter_c1", groups);
  return {block.with(axes, State::varying)};
}

Traffic ReduceScatter::traffic(const Types& operands) const {
  return share_traffic(operands[0], axes, groups);
}

Kernel ReduceScatter::kernel(const Layout& layout) const {
  if (!groups.empty()) {
    kernel::Shuffle shuffle =
        shuffle_of_blocks(layout.operands()[0].shape(), dim, {}, stacking, group_size(groups, axes));
    const PeerFinder finder(layout, axes, groups);
    for (int device = 0; device < layout.devices(); ++device) {
      Peers peers = finder.of(device);
      std::ranges::sort(peers.devices);
      shuffle.pieces.push_back({peers.devices, peers.place});
    }
    return shuffle;
  }
  return kernel::Fold{ReduceKind::sum, axes, {unstacking_view(layout.operands()[0], dim, stacking, axes)}};
}

Jvp ReduceScatter::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents ReduceScatter::transpose(const LinearOperands&, const Tangents& cotangents) const {
  State to = groups.empty() ? State::reduced : State::varying;
  return {all_gather(*cotangents[0], axes, dim, stacking, to, groups)};
}

// Over one of our own axes the lanes are added here, and the blocks along that axis become the lanes.
BatchedArrays ReduceScatter::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const Batched& x = operands[0];
  if (!contains(axes, axis)) {
    ReduceScatter of_lanes = *this;
    of_lanes.dim.index += x.batched;
    return {{apply_one(of_lanes, {x.array}), x.batched}};
  }
  if (!groups.empty()) {
    Array sums = fold_groups(of_all_positions(x, axes, axis), ReduceKind::sum, axes, groups);
    Array blocks = take_apart(sums, Dim{dim.index + 1}, stacking, group_size(groups, axes), Dim{1});
    return to_own_positions(own_of_groups(blocks, groups), axes, axis);
  }
  Array sum = reduce_sum(materialised(x, axis), 0);
  Array lanes = split_lanes(sum, axes, axis, dim, stacking);  // [n of rest, n of axis, block]
  Axes rest = without(axes, axis);
  if (rest.empty()) return {{reshape(lanes, lanes.shape().erased(Dim{0})), true}};
  return {{apply_one(ReduceScatter{rest, Dim{0}, Stacking::new_dim, {}, without(equal_axes, axis)}, {lanes}),
           true}};
}

Lowered ReduceScatter::lower(Emitter& emitter, const Lowered& operands) const {
  const Type& whole = emitter.operand_types()[0];
  stablehlo::Attributes attributes = emitter.collective(axes, true, groups);
  attributes.emplace_back("scatter_dimension", stablehlo::integer(dim.index));
  Type block = whole.with(whole.shape().with(dim, whole.shape()[dim] / group_size(groups, axes)));
  stablehlo::Value own = emitter.emit_with_reducer("stablehlo.reduce_scatter", ReduceKind::sum, operands,
                                                   block, std::move(attributes));
  if (stacking == Stacking::tiled) return {own};
  return {emitter.emit("stablehlo.reshape", {own}, emitter.result_types()[0])};
}

std::vector<Example> ReduceScatter::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    Type whole = Type(DType::f32, {3, joint_size(axes)}).with(axes, State::unreduced);
    examples.push_back({ReduceScatter{axes, Dim{1}, Stacking::new_dim}, {whole}});
    examples.push_back({ReduceScatter{axes, Dim{0}, Stacking::tiled},
                        {whole.with(DType::f64).scaled(Dim{0}, joint_size(axes))}});
    if (joint_size(axes) != 4) continue;
    Type of_groups = Type(DType::f32, {4, 2}).with(axes, State::varying);
    Groups crossed{{0, 2}, {3, 1}}, of_all{{2, 0, 3, 1}};
    examples.push_back({ReduceScatter{axes, Dim{1}, Stacking::new_dim, crossed}, {of_groups}});
    examples.push_back({ReduceScatter{axes, Dim{0}, Stacking::tiled, of_all}, {of_groups}});
  }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back(
      {ReduceScatter{{a}, Dim{0}, Stacking::new_dim}, {Type(DType::i32, {2}).with(a, State::unreduced)}});
  return examples;
}

Array ops::reduce_scatter(const Array& x, const Axes& axes, Dim dim, Stacking stacking,
                          const Groups& groups) {
  return apply_one(ReduceScatter{axes, dim, stacking, groups}, {x});
}

Array psum_scatter(const Operand& x, const AxisNames& axes, const PsumScatterOptions& options) {
  return front_end("psum_scatter", x.where(), [&] {
    Array terms = as_array(x);
    if (terms.dtype() == DType::boolean) terms = convert(terms, DType::i32);
    Axes over = axes.resolve();
    Axes equal = equal_along(terms.type(), over);
    for (const Axis& axis : over)
      if (options.groups.empty() && terms.type().at(axis) != State::unreduced)
        terms = cast_to(cast_to(terms, {axis}, State::varying), {axis}, State::unreduced);
    const Stacking stacking = options.tiled ? Stacking::tiled : Stacking::new_dim;
    const Dim dim = as_dim(options.dim, terms.type());
    return apply_one(ReduceScatter{over, dim, stacking, options.groups, std::move(equal)}, {terms});
  });
}

}  // namespace tutti
