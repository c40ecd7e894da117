// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/block_grid.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <set>

#include "tutti/types/block.hpp"

namespace tutti::internal {
namespace {

/// The intervals of a dim that the boxes have, but no empty one.
std::vector<Interval> intervals_of(const std::vector<Box>& boxes, std::size_t dim) {
  std::set<Interval> intervals;
  for (const Box& box : boxes)
    if (box.begin[dim] < box.end[dim]) intervals.insert({box.begin[dim], box.end[dim]});
  return {intervals.begin(), intervals.end()};
}

/// The number of the box's interval in each dim.
Panel place_of(const Box& box, const BlockGrid& grid) {
  Panel at;
  for (std::size_t dim = 0; dim < grid.dims.size(); ++dim) {
    const auto found = std::ranges::lower_bound(grid.dims[dim], Interval{box.begin[dim], box.end[dim]});
    at.push_back(static_cast<std::size_t>(found - grid.dims[dim].begin()));
  }
  return at;
}

}  // namespace

std::size_t BlockGrid::block(std::span<const std::size_t> at) const {
  std::size_t number = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) number = number * dims[dim].size() + at[dim];
  return number;
}

std::size_t BlockGrid::parts(std::optional<int> dim) const {
  return dim ? dims[static_cast<std::size_t>(*dim)].size() : 1;
}

BlockGrid block_grid(const Shape& whole, const Sharding& sharding) {
  std::vector<Box> boxes;
  for (int position = 0; position < sharding.mesh.devices(); ++position)
    boxes.push_back(tutti::block(position, sharding, whole));
  BlockGrid grid;
  std::size_t blocks = 1;
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    grid.dims.push_back(intervals_of(boxes, dim));
    blocks *= grid.dims.back().size();
  }
  grid.holders.resize(blocks);
  for (int position = 0; position < std::ssize(boxes); ++position) {
    const Box& box = boxes[static_cast<std::size_t>(position)];
    if (box.elements() == 0) grid.without_block.push_back(position);
    else grid.holders[grid.block(place_of(box, grid))].push_back(position);
  }
  return grid;
}

ShownDims first_dims(int rank) {
  if (rank == 0) return {};
  return rank == 1 ? ShownDims{{}, 0} : ShownDims{0, 1};
}

ShownDims split_dims(const BlockGrid& grid) {
  const int rank = static_cast<int>(grid.dims.size());
  if (rank < 2) return first_dims(rank);
  std::vector<int> shown;
  for (int dim = rank; dim-- > 0;)
    if (grid.parts(dim) > 1 && shown.size() < 2) shown.push_back(dim);
  for (int dim = rank; dim-- > 0 && shown.size() < 2;)
    if (std::ranges::find(shown, dim) == shown.end()) shown.push_back(dim);
  std::ranges::sort(shown);
  return {shown[0], shown[1]};
}

std::vector<Panel> panels_of(const BlockGrid& grid, const ShownDims& shown) {
  std::vector<Panel> panels{{}};
  for (int dim = 0; dim < static_cast<int>(grid.dims.size()); ++dim) {
    const std::size_t parts = dim == shown.down || dim == shown.across ? 1 : grid.parts(dim);
    std::vector<Panel> more;
    for (const Panel& panel : panels)
      for (std::size_t part = 0; part < parts; ++part) {
        more.push_back(panel);
        more.back().push_back(part);
      }
    panels = std::move(more);
  }
  return panels;
}

const std::vector<int>& holders_in(const BlockGrid& grid, const ShownDims& shown, Panel panel,
                                   std::size_t row, std::size_t column) {
  if (shown.down) panel[static_cast<std::size_t>(*shown.down)] = row;
  if (shown.across) panel[static_cast<std::size_t>(*shown.across)] = column;
  return grid.holders[grid.block(panel)];
}

}  // namespace tutti::internal
