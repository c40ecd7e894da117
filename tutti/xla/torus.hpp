// SPDX-License-Identifier: Apache-2.0
// Orders of the devices in a box of a torus, so that neighbours of a mesh are neighbours in the torus.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::xla {

/// One number per dim. The dims are: the slice, the coordinates of a chip, the core on the chip. Neighbours
/// along coordinates and cores have a link, neighbouring slices have none.
using Cell = std::vector<std::int64_t>;
using Cells = std::vector<Cell>;

/// An order of the cells of a box, for a mesh of the same size.
struct BoxOrder {
  Cell box;              // the number of cells along each dim
  int aligned_axes = 0;  // the last axes of the mesh that each have whole dims of the box
  Cells cells;           // by row-major position of the mesh, from cell 0 of the box
};

/// Finds the best order of this box. `sizes` are those of the mesh's axes; their product is the number of
/// cells.
BoxOrder order_of_box(const Cell& box, std::span<const int> sizes);

/// Lists the boxes of `count` cells within `extents`, best first: few slices, many aligned axes, few and
/// compact chips. Their cells are not filled in.
std::vector<BoxOrder> boxes_within(const Cell& extents, std::span<const int> sizes);

/// Orders cells row by row, forward and backward in turn. The cells need not fill a box.
void sort_in_rows(std::span<Cell> cells);

}  // namespace tutti::xla
