// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/sharding_picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tutti::internal {
namespace {

constexpr double least_for_number = 13;

// The number of columns for which the smaller side of a tile is largest.
std::size_t columns_for(std::size_t tiles, const Area& area) {
  std::size_t best = 1;
  double largest = 0;
  for (std::size_t columns = 1; columns <= tiles; ++columns) {
    const std::size_t rows = (tiles + columns - 1) / columns;
    const double smaller =
        std::min(area.width / static_cast<double>(columns), area.height / static_cast<double>(rows));
    if (smaller <= largest) continue;
    largest = smaller;
    best = columns;
  }
  return best;
}

// A tile for each device that holds the block.
std::string tiles(const std::vector<int>& holders, const Area& area, const Sharding& sharding, int colours) {
  const std::size_t columns = columns_for(holders.size(), area);
  const std::size_t rows = (holders.size() + columns - 1) / columns;
  const double width = area.width / static_cast<double>(columns),
               height = area.height / static_cast<double>(rows);
  std::string svg;
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const int device = sharding.mesh.device_id(holders[i]);
    const std::size_t row = i / columns, column = i % columns;
    const Area tile{area.left + width * static_cast<double>(column),
                    area.top + height * static_cast<double>(row), width, height};
    svg += rectangle(tile, fmt::format("fill=\"{}\"", colour_of(device, colours)));
    if (std::min(width, height) >= least_for_number)
      svg += text_at(tile.left + width / 2, tile.top + height / 2 + 4,
                     fmt::format("{}{}", sharding.unreduced.empty() ? "" : "+", device),
                     " text-anchor=\"middle\"");
  }
  return svg + rectangle(area, "fill=\"none\" stroke=\"#222\"");
}

using Frame = std::pair<std::size_t, std::size_t>;  // row and column

std::map<Frame, std::vector<int>> holders_of_frames(const BlockGrid& grid, const ShownDims& shown,
                                                    const std::vector<Panel>& panels) {
  std::map<Frame, std::vector<int>> holders;
  for (const Panel& panel : panels)
    for (std::size_t row = 0; row < grid.parts(shown.down); ++row)
      for (std::size_t column = 0; column < grid.parts(shown.across); ++column) {
        const std::vector<int>& its = holders_in(grid, shown, panel, row, column);
        std::vector<int>& all = holders[{row, column}];
        all.insert(all.end(), its.begin(), its.end());
      }
  for (auto& [frame, all] : holders) std::ranges::sort(all);
  return holders;
}

// Begin and length of a part of a dim, as parts of 1.
std::pair<double, double> extent(const Shape& whole, const BlockGrid& grid, std::optional<int> dim,
                                 std::size_t part) {
  if (!dim) return {0, 1};
  const Interval interval = grid.dims[static_cast<std::size_t>(*dim)][part];
  const auto size = static_cast<double>(whole[*dim]);
  return {static_cast<double>(interval.begin) / size,
          static_cast<double>(interval.end - interval.begin) / size};
}

}  // namespace

std::string frames(const Shape& whole, const Sharding& sharding, const BlockGrid& grid,
                   const ShownDims& shown, const std::optional<Panel>& panel, const Area& area, int colours) {
  const std::vector<Panel> panels = panel ? std::vector<Panel>{*panel} : panels_of(grid, shown);
  std::string svg;
  for (const auto& [frame, holders] : holders_of_frames(grid, shown, panels)) {
    const auto [top, height] = extent(whole, grid, shown.down, frame.first);
    const auto [left, width] = extent(whole, grid, shown.across, frame.second);
    svg += tiles(holders,
                 {area.left + area.width * left, area.top + area.height * top, area.width * width,
                  area.height * height},
                 sharding, colours);
  }
  return svg;
}

std::string without_block(const Sharding& sharding, const BlockGrid& grid) {
  std::vector<int> devices;
  for (int position : grid.without_block) devices.push_back(sharding.mesh.device_id(position));
  return devices.empty() ? "" : fmt::format("without a block: {}", fmt::join(devices, ", "));
}

int colours_of(const Mesh& mesh) {
  int colours = 0;
  for (int position = 0; position < mesh.devices(); ++position)
    colours = std::max(colours, mesh.device_id(position) + 1);
  return colours;
}

}  // namespace tutti::internal
