// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/exchange_digits.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tutti {
namespace {

/// Weights at which digits begin and end: those of a dim in elements, from 1 to its size; of an axis in
/// positions.
using Cuts = std::set<std::int64_t>;

/// The distance, in elements of the whole, between the blocks of neighbours along an axis.
struct Split {
  Axis axis;
  std::int64_t stride;
};

struct SplitDim {
  Dim dim;
  std::vector<Split> from, to;
  Cuts cuts;
};

std::vector<Split> splits_of(const Axes& axes, std::int64_t size) {
  std::vector<Split> splits;
  for (const Axis& axis : axes) {
    size /= axis.size;
    splits.push_back({axis, size});
  }
  return splits;
}

SplitDim split_dim(Dim dim, std::int64_t size, const Axes& from, const Axes& to) {
  SplitDim split{dim, splits_of(from, size), splits_of(to, size), {1, size}};
  for (const std::vector<Split>* side : {&split.from, &split.to})
    for (const Split& s : *side) split.cuts.insert(s.stride);
  return split;
}

/// Cuts the dim where the axis is cut, and the axis where the dim is. True if that made a new cut.
bool share_cuts(const Split& split, Cuts& dim, Cuts& axis) {
  const std::size_t before = dim.size() + axis.size();
  const std::int64_t end = split.stride * split.axis.size;
  for (std::int64_t cut : dim)
    if (cut >= split.stride && cut <= end) axis.insert(cut / split.stride);
  for (std::int64_t cut : axis) dim.insert(cut * split.stride);
  return dim.size() + axis.size() > before;
}

void cut_sides_alike(std::vector<SplitDim>& dims) {
  std::map<Axis, Cuts> of_axis;
  for (bool grows = true; grows;) {
    grows = false;
    for (SplitDim& dim : dims)
      for (const std::vector<Split>* side : {&dim.from, &dim.to})
        for (const Split& split : *side) grows = share_cuts(split, dim.cuts, of_axis[split.axis]) || grows;
  }
}

bool is_divisor_chain(const Cuts& cuts) {
  auto do_not_fit = [](std::int64_t small, std::int64_t large) { return large % small != 0; };
  return std::ranges::adjacent_find(cuts, do_not_fit) == cuts.end();
}

/// The place of the digit of this weight: along an axis, or in a block.
kernel::Coordinate place_of(std::int64_t weight, const std::vector<Split>& splits, Dim dim) {
  kernel::Coordinate place = kernel::along(dim, weight);
  for (const Split& split : splits) {
    if (weight < split.stride || weight >= split.stride * split.axis.size) continue;
    place = kernel::along(split.axis);
    place.weight = weight / split.stride;
  }
  return place;
}

void add_digits(const SplitDim& dim, std::vector<kernel::Digit>& digits) {
  for (auto high = dim.cuts.rbegin(); std::next(high) != dim.cuts.rend(); ++high) {
    const std::int64_t weight = *std::next(high);
    digits.push_back(
        {*high / weight, place_of(weight, dim.from, dim.dim), place_of(weight, dim.to, dim.dim)});
  }
}

}  // namespace

std::optional<std::vector<kernel::Digit>> exchange_digits(const Shape& shape, const Sharding& from,
                                                          const Sharding& to, DigitCuts cuts) {
  std::vector<SplitDim> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (shape[i] == 0) return std::vector<kernel::Digit>{{0, kernel::along(Dim{i}), kernel::along(Dim{i})}};
    dims.push_back(split_dim(Dim{i}, shape[i], from.dims[at], to.dims[at]));
  }
  if (cuts == DigitCuts::parts) cut_sides_alike(dims);
  std::vector<kernel::Digit> digits;
  for (const SplitDim& dim : dims) {
    if (!is_divisor_chain(dim.cuts)) return std::nullopt;
    add_digits(dim, digits);
  }
  return digits;
}

std::vector<AxisPlace> places_of(const Sharding& sharding) {
  std::vector<AxisPlace> places;
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    std::int64_t outer = 1;
    for (const Axis& axis : sharding.dims[dim]) {
      places.push_back({axis, Dim{static_cast<int>(dim)}, outer});
      outer *= axis.size;
    }
  }
  return places;
}

Axes moved_axes(const Sharding& from, const Sharding& to) {
  const std::vector<AxisPlace> there = places_of(to);
  Axes moved;
  for (const AxisPlace& place : places_of(from))
    if (std::ranges::find(there, place) == there.end()) moved.push_back(place.axis);
  return moved;
}

Axes split_axes(const Sharding& sharding) {
  Axes axes;
  for (const Axes& of_dim : sharding.dims) axes.insert(axes.end(), of_dim.begin(), of_dim.end());
  return axes;
}

Sharding common_sharding(const Sharding& from, const Sharding& to) {
  Sharding common = from;
  for (std::size_t dim = 0; dim < common.dims.size(); ++dim) {
    Axes& axes = common.dims[dim];
    axes.erase(std::ranges::mismatch(axes, to.dims[dim]).in1, axes.end());
  }
  return common;
}

}  // namespace tutti
