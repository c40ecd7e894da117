// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/all_to_all.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

// Sizes and then the dims of `block` from dim `skip` on.
Shape before(std::vector<std::int64_t> sizes, const Shape& block, int skip) {
  sizes.insert(sizes.end(), block.begin() + skip, block.end());
  return Shape(std::move(sizes));
}

// The dims in the order of `first`, which are as many, and then all others.
Array with_dims_first(const Array& x, std::vector<int> first) {
  for (int i = static_cast<int>(first.size()); i < x.rank(); ++i) first.push_back(i);
  return transpose(x, first);
}

// all_to_all where the lanes are `axis`, one of `axes`. `chunks` is [lanes, n, block]. The lane changes
// places with the digit of `axis` in n. A collective over the other axes exchanges the other digits.
Array exchanged(const Array& chunks, const Axes& axes, const Axis& axis) {
  int outer = size_before(axes, axis), inner = size_after(axes, axis);
  Axes rest = without(axes, axis);
  int others = outer * inner;
  Array x = reshape(chunks, before({axis.size, outer, axis.size, inner}, chunks.shape(), 2));
  x = with_dims_first(x, {2, 1, 3, 0});  // [target lane, outer, inner, source lane, block]
  if (!rest.empty()) {
    x = reshape(x, before({axis.size, others}, x.shape(), 3));
    x = apply_one(AllToAll{rest, Dim{1}, Dim{1}, Stacking::new_dim, {}}, {x});
    x = reshape(x, before({axis.size, outer, inner}, x.shape(), 2));
  }
  x = with_dims_first(x, {0, 1, 3, 2});
  return reshape(x, chunks.shape());
}

// [n, group size, block], the blocks that each position sends -> those that it receives.
Array exchanged_in_groups(const Array& chunks, const Groups& groups) {
  std::vector<PlaceInGroup> places = places_in(groups);
  auto size = static_cast<int>(groups[0].size());
  std::vector<int> rows;
  for (PlaceInGroup own : places)
    for (int source : groups[static_cast<std::size_t>(own.group)]) rows.push_back(source * size + own.place);
  Array all = reshape(chunks, before({static_cast<std::int64_t>(rows.size())}, chunks.shape(), 2));
  return reshape(take_rows(all, rows), chunks.shape());
}

}  // namespace

Parameters AllToAll::parameters() const {
  Parameters parameters{{"axes", to_string(axes)},
                        {"split", std::to_string(split.index)},
                        {"concat", std::to_string(concat.index)},
                        {"stacking", std::string(ops::name(stacking))}};
  if (!groups.empty()) parameters.emplace_back("groups", to_string(groups));
  return parameters;
}

std::vector<AxisStates> AllToAll::wants(const Types& operands) const {
  return {varying_over(operands[0], axes)};
}

Types AllToAll::infer(const Types& operands) const {
  require_groups(groups, axes, GroupSizes::equal);
  require_states(operands[0], axes, {State::varying}, "an exchange moves values, not terms; psum it first");
  Type block = unstacked(operands[0], split, stacking, axes, "all_to_all_c1", groups);
  return {stacked(block, concat, stacking, group_size(groups, axes), "all_to_all_c3")};
}

Traffic AllToAll::traffic(const Types& operands) const { return share_traffic(operands[0], axes, groups); }

// Without groups the blocks' digits are those of the mesh axes: another address of the same bytes, or one
// copy.
Kernel AllToAll::kernel(const Layout& layout) const {
  int n = group_size(groups, axes);
  kernel::Shuffle shuffle = shuffle_of_blocks(layout.operands()[0].shape(), split, concat, stacking, n);
  if (groups.empty()) {
    kernel::View view{std::move(shuffle.digits)};
    for (const Axis& axis : axes) {
      n /= axis.size;
      view.digits.push_back(
          {axis.size, kernel::along(axis), kernel::along(concat, n * shuffle.piece.weight)});
      view.digits.push_back({axis.size, kernel::along(split, n * shuffle.block.weight), kernel::along(axis)});
    }
    return view;
  }
  const PeerFinder finder(layout, axes, groups);
  for (int device = 0; device < layout.devices(); ++device) {
    Peers peers = finder.of(device);
    for (int source : peers.devices) shuffle.pieces.push_back({{source}, peers.place});
  }
  return shuffle;
}

Jvp AllToAll::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents AllToAll::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(AllToAll{axes, concat, split, stacking, groups}, {*cotangents[0]})};
}

BatchedArrays AllToAll::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const Batched& x = operands[0];
  int n = group_size(groups, axes);
  Dim from{split.index + 1}, to{concat.index + 1};
  if (!contains(axes, axis)) {
    AllToAll shifted = *this;
    if (x.batched) shifted.split = from, shifted.concat = to;
    return {{apply_one(shifted, {x.array}), x.batched}};
  }
  if (groups.empty()) {
    Array chunks = exchanged(take_apart(materialised(x, axis), from, stacking, n, Dim{1}), axes, axis);
    return {{lay_blocks(chunks, Dim{1}, to, stacking), true}};
  }
  Array chunks = take_apart(of_all_positions(x, axes, axis), from, stacking, n, Dim{1});
  return to_own_positions(lay_blocks(exchanged_in_groups(chunks, groups), Dim{1}, to, stacking), axes, axis);
}

// StableHLO's is the tiled one. For a new dim, a dim of size 1 receives the blocks, and the split one, of
// which 1 is left, goes.
Lowered AllToAll::lower(Emitter& emitter, const Lowered& operands) const {
  Type type = emitter.operand_types()[0];
  Lowered x = operands;
  Dim from = split, to = concat;
  bool moves = stacking == Stacking::new_dim && split != concat;
  if (moves) {
    if (split < concat) ++to.index;
    else ++from.index;
    type = type.inserted(to, 1);
    x = {emitter.emit("stablehlo.reshape", x, type)};
  }
  int n = group_size(groups, axes);
  stablehlo::Attributes attributes = emitter.collective(axes, false, groups);
  attributes.emplace_back("split_dimension", stablehlo::integer(from.index));
  attributes.emplace_back("concat_dimension", stablehlo::integer(to.index));
  attributes.emplace_back("split_count", stablehlo::integer(n));
  type = type.with(type.shape().with(from, type.shape()[from] / n)).scaled(to, n);
  x = {emitter.emit("stablehlo.all_to_all", x, type, std::move(attributes))};
  return {moves ? emitter.emit("stablehlo.reshape", x, emitter.result_types()[0]) : x[0]};
}

std::vector<Example> AllToAll::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    std::int64_t n = joint_size(axes);
    auto add = [&](Shape shape, DType dtype, Dim split, Dim concat, Stacking stacking, Groups groups) {
      Type x = Type(dtype, std::move(shape)).with(axes, State::varying);
      examples.push_back({AllToAll{axes, split, concat, stacking, std::move(groups)}, {x}});
    };
    add({n, 2}, DType::f32, Dim{0}, Dim{1}, Stacking::new_dim, {});
    add({2, n}, DType::f64, Dim{1}, Dim{0}, Stacking::new_dim, {});
    add({3, n * 2}, DType::f32, Dim{1}, Dim{0}, Stacking::tiled, {});
    add({n * 2}, DType::f64, Dim{0}, Dim{0}, Stacking::tiled, {});
    if (n != 4) continue;
    add({2, 3}, DType::f32, Dim{0}, Dim{1}, Stacking::new_dim, {{0, 2}, {3, 1}});
    add({3, 4}, DType::f64, Dim{1}, Dim{0}, Stacking::tiled, {{0, 2}, {3, 1}});
  }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back({AllToAll{{a}, Dim{1}, Dim{1}}, {Type(DType::i32, {2, 2}).with(a, State::varying)}});
  examples.push_back({AllToAll{{a}, Dim{0}, Dim{0}, Stacking::tiled, {{1, 0}}},
                      {Type(DType::boolean, {4}).with(a, State::varying)}});
  return examples;
}

Array all_to_all(const Operand& x, const AxisNames& axes, const AllToAllOptions& options) {
  return front_end("all_to_all", x.where(), [&] {
    Array whole = as_array(x);
    Stacking stacking = options.tiled ? Stacking::tiled : Stacking::new_dim;
    return apply_one(AllToAll{axes.resolve(), as_dim(options.split, whole.type()),
                              as_dim(options.concat, whole.type()), stacking, options.groups},
                     {whole});
  });
}

Array pswapaxes(const Operand& x, const AxisNames& axes, int dim, const Groups& groups) {
  return front_end("pswapaxes", x.where(), [&] {
    Type type = as_array(x).type();
    Dim with = as_dim(dim, type);
    Axes over = axes.resolve();
    require_groups(groups, over, GroupSizes::equal);
    int n = group_size(groups, over);
    require(type.shape()[with] == n, Code::shape,
            "dim {} of {} has size {}, but {}{} has {}; it must be as many, or use all_to_all with "
            "tiled = true",
            with.index, type, type.shape()[with], groups.empty() ? "" : "each group along ", over,
            counted(n, "device"));
    return all_to_all(x, axes, {.split = dim, .concat = dim, .groups = groups});
  });
}

}  // namespace tutti
