// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/space.hpp"

#include <algorithm>

namespace tutti {

std::vector<StridedLoop> collapsed(std::span<const std::int64_t> sizes,
                                   std::span<const std::int64_t> strides) {
  std::vector<StridedLoop> loops;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    if (!loops.empty() && loops.back().stride == strides[i] * sizes[i])
      loops.back() = {loops.back().size * sizes[i], strides[i]};
    else loops.push_back({sizes[i], strides[i]});
  }
  return loops;
}

std::int64_t Space::tiles_per_row() const {
  return tile_columns >= columns ? 1 : (columns + tile_columns - 1) / tile_columns;
}

std::int64_t Space::tiles() const { return (rows + tile_rows - 1) / tile_rows * tiles_per_row(); }

Space tiled(std::int64_t rows, std::int64_t columns, bool whole_rows, std::int64_t tile_elements) {
  Space space{rows, columns, 1, columns};
  if (!whole_rows && columns > tile_elements / 2) space.tile_columns = std::min(columns, tile_elements);
  else
    space.tile_rows = std::clamp<std::int64_t>(tile_elements / std::max<std::int64_t>(columns, 1), 1,
                                               std::max<std::int64_t>(rows, 1));
  return space;
}

Pattern pattern_of(const std::vector<StridedLoop>& loops, std::int64_t rows, std::int64_t columns,
                   std::int64_t element_bytes) {
  using Kind = Pattern::Kind;
  if (loops.empty()) return {rows * columns == 1 ? Kind::dense : Kind::scalar, 0, 0, {}};
  if (loops.size() == 1) {
    std::int64_t stride = loops[0].stride;
    if (stride == 0) return {Kind::scalar, 0, 0, {}};
    return {stride == element_bytes ? Kind::dense : Kind::strided, columns * stride, stride, {}};
  }
  if (loops.size() > 2 || loops[0].size != rows || loops[1].size != columns)
    return {Kind::irregular, 0, 0, loops};
  auto [row, column] = std::pair{loops[0].stride, loops[1].stride};
  if (column == 0) return {Kind::column, row, 0, {}};
  if (row == 0 && column == element_bytes) return {Kind::row, 0, column, {}};
  return {Kind::strided, row, column, {}};
}

}  // namespace tutti
