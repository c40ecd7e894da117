// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/stacking.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

std::int64_t block_size(Type whole, Dim dim, Stacking stacking, int n) {
  return stacking == Stacking::tiled ? whole.shape()[dim] / n : 1;
}

Shape joined(std::vector<std::int64_t> front, const Shape& back) {
  front.insert(front.end(), back.begin(), back.end());
  return Shape(std::move(front));
}

Shape tail(const Shape& shape, int skip) {
  return Shape(std::vector<std::int64_t>(shape.begin() + skip, shape.end()));
}

}  // namespace

int ops::size_before(const Axes& axes, const Axis& axis) {
  return joint_size({axes.begin(), std::ranges::find(axes, axis)});
}

int ops::size_after(const Axes& axes, const Axis& axis) {
  return joint_size({std::ranges::find(axes, axis) + 1, axes.end()});
}

std::string_view ops::name(Stacking stacking) {
  switch (stacking) {
    case Stacking::new_dim: return "new_dim";
    case Stacking::tiled: return "tiled";
  }
  return {};
}

Type ops::stacked(Type block, Dim dim, Stacking stacking, int n, std::string_view label) {
  int last = stacking == Stacking::tiled ? block.rank() - 1 : block.rank();
  require(dim.index >= 0 && dim.index <= last, Code::dim,
          "dim {} is out of range for {} ({}); the result has {}", dim.index, block, label,
          last < 0 ? "no dims to lie along, use tiled = false" : fmt::format("dims 0 to {}", last));
  return stacking == Stacking::tiled ? block.scaled(dim, n) : block.inserted(dim, n);
}

Type ops::unstacked(Type whole, Dim dim, Stacking stacking, const Axes& axes, std::string_view label,
                    const Groups& groups) {
  int n = group_size(groups, axes);
  std::string who = groups.empty() ? to_string(axes) : "each group along " + to_string(axes);
  require(dim.index >= 0 && dim.index < whole.rank(), Code::dim,
          "dim {} is out of range for {} ({}); it has {}", dim.index, whole, label,
          whole.rank() == 0 ? "no dims" : fmt::format("dims 0 to {}", whole.rank() - 1));
  std::int64_t size = whole.shape()[dim];
  require(n > 0 || (size == 0 && stacking == Stacking::new_dim), Code::shape,
          "dim {} of {} does not split over {}, which has no devices ({}); only a dim of size 0 does, with "
          "tiled = false",
          dim.index, whole, who, label);
  if (stacking == Stacking::tiled) {
    require(size % n == 0, Code::shape,
            "dim {} of {} does not split over the {} of {} ({}); pad it or use another dim", dim.index, whole,
            counted(n, "device"), who, label);
    return whole.with(whole.shape().with(dim, size / n));
  }
  require(size == n, Code::shape,
          "dim {} of {} has size {}, but {} has {} ({}); it must be as many, or with tiled = true a "
          "multiple",
          dim.index, whole, size, who, counted(n, "device"), label);
  return whole.erased(dim);
}

kernel::View ops::stacking_view(Type whole, Dim dim, Stacking stacking, const Axes& axes) {
  kernel::View view = unstacking_view(whole, dim, stacking, axes);
  for (kernel::Digit& digit : view.digits) std::swap(digit.from, digit.to);
  return view;
}

kernel::View ops::unstacking_view(Type whole, Dim dim, Stacking stacking, const Axes& axes) {
  kernel::View view;
  std::int64_t block = block_size(whole, dim, stacking, joint_size(axes));
  std::int64_t weight = block * joint_size(axes);
  for (const Axis& axis : axes) {
    weight /= axis.size;
    view.digits.push_back({axis.size, kernel::along(dim, weight), kernel::along(axis)});
  }
  int result_dim = 0;
  for (int i = 0; i < whole.rank(); ++i) {
    bool split = Dim{i} == dim;
    if (split && stacking == Stacking::new_dim) continue;
    view.digits.push_back(
        {split ? block : whole.shape()[i], kernel::along(Dim{i}), kernel::along(Dim{result_dim})});
    ++result_dim;
  }
  return view;
}

kernel::Shuffle ops::shuffle_of_blocks(const Shape& operand, std::optional<Dim> split,
                                       std::optional<Dim> concat, Stacking stacking, int n) {
  bool tiled = stacking == Stacking::tiled;
  kernel::Shuffle shuffle;
  Shape block = operand;
  int block_dim = 0;
  for (int i = 0; i < operand.rank(); ++i) {
    bool is_split = split == Dim{i};
    if (is_split) block = tiled ? block.with(*split, operand[i] / n) : block.erased(*split);
    if (is_split && !tiled) continue;
    int result_dim = block_dim + (concat && !tiled && block_dim >= concat->index ? 1 : 0);
    shuffle.digits.push_back({block[block_dim], kernel::along(Dim{i}), kernel::along(Dim{result_dim})});
    ++block_dim;
  }
  if (split) shuffle.block = kernel::along(*split, tiled ? block[*split] : 1);
  if (concat) shuffle.piece = kernel::along(*concat, tiled ? block[*concat] : 1);
  return shuffle;
}

Array ops::lay_blocks(const Array& x, Dim from, Dim dim, Stacking stacking) {
  Array laid = move_dim(x, from, dim);
  if (stacking == Stacking::new_dim) return laid;
  Shape apart = laid.shape();
  return reshape(laid, apart.erased(dim).with(dim, apart[dim] * apart[dim.index + 1]));
}

Array ops::take_apart(const Array& whole, Dim dim, Stacking stacking, int n, Dim to) {
  Array x = whole;
  if (stacking == Stacking::tiled)
    x = reshape(x, whole.shape().with(dim, whole.shape()[dim] / n).inserted(dim, n));
  return move_dim(x, dim, to);
}

Array ops::merge_lanes(const Array& blocks, const Axes& axes, const Axis& axis, Dim dim, Stacking stacking) {
  int before = size_before(axes, axis), after = size_after(axes, axis);
  Shape block = tail(blocks.shape(), 2);
  Array x = reshape(blocks, joined({before, after, axis.size}, block));
  x = reshape(move_dim(x, Dim{2}, Dim{1}), joined({joint_size(axes)}, block));
  return lay_blocks(x, Dim{0}, dim, stacking);
}

Array ops::split_lanes(const Array& whole, const Axes& axes, const Axis& axis, Dim dim, Stacking stacking) {
  int n = joint_size(axes);
  std::int64_t before = size_before(axes, axis), after = size_after(axes, axis);
  Array x = take_apart(whole, dim, stacking, n, Dim{0});
  Shape block = tail(x.shape(), 1);
  x = move_dim(reshape(x, joined({before, axis.size, after}, block)), Dim{1}, Dim{2});
  return reshape(x, joined({before * after, axis.size}, block));
}

Array ops::put_lane(const Array& x, const Axis& axis, int lane) {
  Array lanes = insert_dim(x, Dim{0}, axis.size);
  return select(equal(iota(lanes.shape(), DType::i32, 0), lane), lanes, zeros_of(lanes.type()));
}

Array ops::take_lane(const Array& x, int lane) { return index_in_dim(x, lane); }

Array ops::take_rows(const Array& x, const std::vector<int>& rows) {
  std::vector<int> in_order(static_cast<std::size_t>(x.shape()[0]));
  std::iota(in_order.begin(), in_order.end(), 0);
  if (rows == in_order) return x;
  Shape shape{std::ssize(rows)};
  Tensor indices(shape, DType::i32), present(shape, DType::boolean);
  bool all_present = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    indices.mutable_data<std::int32_t>()[i] = std::max(rows[i], 0);
    present.mutable_data<bool>()[i] = rows[i] >= 0;
    all_present = all_present && rows[i] >= 0;
  }
  Array taken = take(x, constant(indices), 0);
  if (all_present) return taken;
  return select(broadcast_in_dim(constant(present), taken.shape(), {0}), taken, zeros_of(taken.type()));
}

int ops::coordinate_of(const Axes& axes, int position, const Axis& axis) {
  int after = size_after(axes, axis);
  return after * axis.size == 0 ? 0 : position / after % axis.size;
}

int ops::position_in_rest(const Axes& axes, int position, const Axis& axis) {
  int after = size_after(axes, axis);
  return after * axis.size == 0 ? 0 : position / (after * axis.size) * after + position % after;
}

}  // namespace tutti
