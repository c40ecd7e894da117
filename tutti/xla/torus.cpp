// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/torus.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <tuple>

namespace tutti::xla {
namespace {

using Dims = unsigned;  // a set of dims of a box: bit d for dim d
constexpr std::size_t slice_dim = 0;

bool has(Dims dims, std::size_t dim) { return (dims >> dim) & 1U; }
std::size_t core_dim(const Cell& box) { return box.size() - 1; }

std::int64_t cells_of(const Cell& box, Dims dims) {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < box.size(); ++dim)
    if (has(dims, dim)) product *= box[dim];
  return product;
}

Cell sum(Cell a, const Cell& b) {
  for (std::size_t dim = 0; dim < a.size(); ++dim) a[dim] += b[dim];
  return a;
}

/// The cells along one dim. A dim outside of `dims` has only cell 0.
Cells line(const Cell& box, Dims dims, std::size_t dim) {
  Cells cells;
  for (std::int64_t at = 0; at < (has(dims, dim) ? box[dim] : 1); ++at) {
    Cell& cell = cells.emplace_back(box.size());
    cell[dim] = at;
  }
  return cells;
}

/// Adds each inner cell to each outer cell. Visits the inner cells forward for outer cell 0, backward for
/// outer cell 1, .. If the steps of both lists are links, all steps are.
Cells snake(const Cells& outer, std::span<const Cell> inner) {
  Cells cells;
  for (std::size_t row = 0; row < outer.size(); ++row)
    for (std::size_t i = 0; i < inner.size(); ++i)
      cells.push_back(sum(outer[row], inner[row % 2 == 0 ? i : inner.size() - 1 - i]));
  return cells;
}

/// A snake whose end is a neighbour of its start. It visits all inner cells except the first, row by row, and
/// returns along the first ones. Needs an even number of outer cells.
Cells closed_snake(const Cells& outer, std::span<const Cell> inner) {
  Cells cells{sum(outer.front(), inner.front())};
  std::ranges::move(snake(outer, inner.subspan(1)), std::back_inserter(cells));
  for (std::size_t row = outer.size() - 1; row > 0; --row) cells.push_back(sum(outer[row], inner.front()));
  return cells;
}

/// The chips of one slice: a ring, if one of the dims is even.
Cells ring_of_chips(const Cell& box, Dims dims) {
  std::size_t even = core_dim(box);  // none
  for (std::size_t dim = core_dim(box) - 1; dim > slice_dim; --dim)
    if (has(dims, dim) && box[dim] % 2 == 0) even = dim;
  Cells others{Cell(box.size())};
  for (std::size_t dim = slice_dim + 1; dim < core_dim(box); ++dim)
    if (dim != even) others = snake(others, line(box, dims, dim));
  if (even == core_dim(box)) return others;
  const Cells rows = line(box, dims, even);
  return others.size() > 1 ? closed_snake(rows, others) : rows;
}

/// The cells of these dims. All steps are links, except steps between slices. Cores of a chip follow each
/// other.
Cells walk(const Cell& box, Dims dims) {
  const Cells cores = snake(ring_of_chips(box, dims), line(box, dims, core_dim(box)));
  return snake(line(box, dims, slice_dim), cores);
}

/// Gives each axis, from the last to the first, some dims of `free` with the axis' size as product: the cores
/// first, then the later dims. Removes them from `free`. Returns false if an axis finds none.
bool align(const Cell& box, std::span<const int> sizes, Dims& free, std::vector<Dims>& taken) {
  if (sizes.empty()) return true;
  const Dims before = free;
  for (Dims dims = before;; dims = (dims - 1) & before) {  // all subsets, from the largest number to 0
    if (cells_of(box, dims) == sizes.back()) {
      taken.push_back(dims);
      free = before & ~dims;
      if (align(box, sizes.first(sizes.size() - 1), free, taken)) return true;
      taken.pop_back();
    }
    if (dims == 0) break;
  }
  free = before;
  return false;
}

/// The dims of each of the last axes, from the last to the first, and those of all axes before them.
struct Alignment {
  std::vector<Dims> of_axes;
  Dims of_others = 0;
};

/// Aligns as many of the last axes as possible. They never take the slice dim, because slices have no links.
Alignment best_alignment(const Cell& box, std::span<const int> sizes) {
  Dims free = 0;
  for (std::size_t dim = slice_dim + 1; dim < box.size(); ++dim)
    if (box[dim] > 1) free |= 1U << dim;
  const Dims slices = box[slice_dim] > 1 ? 1U << slice_dim : 0;
  for (std::size_t first = 0; first < sizes.size(); ++first) {
    Alignment found{.of_axes = {}, .of_others = free};
    if (!align(box, sizes.subspan(first), found.of_others, found.of_axes)) continue;
    found.of_others |= slices;
    return found;
  }
  return {.of_axes = {}, .of_others = free | slices};
}

void add_boxes(const Cell& extents, std::int64_t count, Cell& begun, Cells& boxes) {
  if (begun.size() == extents.size()) {
    if (count == 1) boxes.push_back(begun);
    return;
  }
  for (std::int64_t size = std::min(extents[begun.size()], count); size >= 1; --size) {
    if (count % size != 0) continue;
    begun.push_back(size);
    add_boxes(extents, count / size, begun, boxes);
    begun.pop_back();
  }
}

void sort_in_rows(std::span<Cell> cells, std::size_t dim) {
  if (cells.empty() || dim == cells.front().size()) return;
  std::ranges::sort(cells, {}, [&](const Cell& cell) { return cell[dim]; });
  bool is_forward = true;
  for (auto row = cells.begin(); row != cells.end();) {
    const auto end =
        std::find_if(row, cells.end(), [&](const Cell& cell) { return cell[dim] != (*row)[dim]; });
    sort_in_rows(std::span(row, end), dim + 1);
    if (!is_forward) std::reverse(row, end);
    is_forward = !is_forward;
    row = end;
  }
}

}  // namespace

BoxOrder order_of_box(const Cell& box, std::span<const int> sizes) {
  const Alignment alignment = best_alignment(box, sizes);
  Cells cells = walk(box, alignment.of_others);
  for (auto dims = alignment.of_axes.rbegin(); dims != alignment.of_axes.rend(); ++dims) {
    Cells finer;
    const Cells along_axis = walk(box, *dims);
    for (const Cell& cell : cells)
      for (const Cell& step : along_axis) finer.push_back(sum(cell, step));
    cells = std::move(finer);
  }
  return {box, static_cast<int>(alignment.of_axes.size()), std::move(cells)};
}

std::vector<BoxOrder> boxes_within(const Cell& extents, std::span<const int> sizes) {
  const std::int64_t count =
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  Cell begun;
  Cells boxes;
  add_boxes(extents, count, begun, boxes);
  std::vector<BoxOrder> found;
  for (const Cell& box : boxes)
    found.push_back({box, static_cast<int>(best_alignment(box, sizes).of_axes.size()), {}});
  std::ranges::sort(found, {}, [](const BoxOrder& order) {
    const Cell& box = order.box;
    Cell early_dims_first(box.size());  // a host of TPUs has neighbours along the early dims
    std::ranges::transform(box, early_dims_first.begin(), std::negate<>());
    return std::tuple(box.front(), -order.aligned_axes,
                      std::accumulate(box.begin() + 1, box.end() - 1, std::int64_t{0}), early_dims_first);
  });
  return found;
}

void sort_in_rows(std::span<Cell> cells) { sort_in_rows(cells, 0); }

}  // namespace tutti::xla
