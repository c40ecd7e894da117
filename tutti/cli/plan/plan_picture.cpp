// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tutti/page/svg.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/plan/text.hpp"
#include "tutti/types/block.hpp"

namespace tutti::cli {
namespace {

constexpr int side = 200, line_height = 60;  // of an array of two dims, of fewer
constexpr int margin = 24, above = 44, below = 24, head = 34, foot = 42;
constexpr std::size_t in_a_row = 4;
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
std::string tiles(const std::vector<int>& holders, const Area& area, const Sharding& sharding, int devices) {
  const std::size_t columns = columns_for(holders.size(), area);
  const std::size_t rows = (holders.size() + columns - 1) / columns;
  const double width = area.width / static_cast<double>(columns),
               height = area.height / static_cast<double>(rows);
  std::string svg;
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const Area tile{area.left + width * static_cast<double>(column),
                    area.top + height * static_cast<double>(row), width, height};
    svg += rectangle(tile, fmt::format("fill=\"{}\"", colour_of(holders[i], devices)));
    if (std::min(width, height) >= least_for_number)
      svg += text_at(tile.left + width / 2, tile.top + height / 2 + 4,
                     fmt::format("{}{}", sharding.unreduced.empty() ? "" : "+", holders[i]),
                     " text-anchor=\"middle\"");
  }
  return svg + rectangle(area, "fill=\"none\" stroke=\"#222\"");
}

/// The part of a block along dim 0 and dim 1: begin and end of each; of a dim that the array has not, 0 and
/// 1.
using Frame = std::array<std::int64_t, 4>;
Frame frame_of(const Box& box) {
  Frame frame{0, 1, 0, 1};
  // The one dim of a line runs to the right.
  if (box.begin.size() == 1) return {0, 1, box.begin[0], box.end[0]};
  for (std::size_t dim = 0; dim < std::min<std::size_t>(box.begin.size(), 2); ++dim) {
    frame[2 * dim] = box.begin[dim];
    frame[2 * dim + 1] = box.end[dim];
  }
  return frame;
}

// The array under one sharding.
std::string drawn(const Shape& whole, const Sharding& sharding, const Area& area, int devices) {
  std::map<Frame, std::vector<int>> holders;
  std::vector<int> without_block;
  for (int position = 0; position < sharding.mesh.devices(); ++position) {
    const Box box = block(position, sharding, whole);
    const int device = sharding.mesh.device_id(position);
    if (box.elements() == 0) without_block.push_back(device);
    else holders[frame_of(box)].push_back(device);
  }
  Box all;
  for (std::int64_t size : whole) {
    all.begin.push_back(0);
    all.end.push_back(size);
  }
  const Frame most = frame_of(all);
  std::string svg;
  for (const auto& [frame, its_holders] : holders) {
    auto part = [](std::int64_t n, std::int64_t of) {
      return static_cast<double>(n) / static_cast<double>(of);
    };
    svg += tiles(its_holders,
                 {area.left + area.width * part(frame[2], most[3]),
                  area.top + area.height * part(frame[0], most[1]),
                  area.width * part(frame[3] - frame[2], most[3]),
                  area.height * part(frame[1] - frame[0], most[1])},
                 sharding, devices);
  }
  if (!without_block.empty())
    svg += text_within(area.width, area.left, area.top + area.height + 16,
                       fmt::format("without a block: {}", fmt::join(without_block, ", ")));
  return svg;
}

std::string legend(const ReshardPlan& plan, int height) {
  const std::string look = " fill=\"#555\"";
  std::string svg =
      text_at(margin, height - 28,
              "frame: a block; tile: a device that holds it; +: it holds a term of the sum", look);
  const int rank = plan.request.whole.rank();
  if (rank > 2)
    svg +=
        text_at(margin, height - 12,
                fmt::format("drawn: dims 0 and 1 of {}; tiles of a frame may differ along the others", rank),
                look);
  return svg;
}

// One more than the largest number of a device.
int devices_of(const ReshardPlan& plan) {
  int devices = 0;
  for (const Mesh& mesh : {plan.request.from.mesh, plan.request.to.mesh})
    for (int position = 0; position < mesh.devices(); ++position)
      devices = std::max(devices, mesh.device_id(position) + 1);
  return devices;
}

std::string title(const PlanRequest& request) {
  const Mesh from = request.from.mesh.whole(), to = request.to.mesh.whole();
  const std::string then = from == to ? "" : ", then on " + mesh_text(to);
  return fmt::format("{} on {}{}", to_string(request.whole), mesh_text(from), then);
}

std::string picture(const ReshardPlan& plan) {
  const int devices = devices_of(plan);
  const Shape& whole = plan.request.whole.shape();
  const std::size_t states = plan.steps.size() + 1, columns = std::clamp<std::size_t>(states, 2, in_a_row);
  const int high = whole.rank() < 2 ? line_height : side, panel = above + high + below;
  const int width = margin + static_cast<int>(columns) * (side + margin);
  const int height = head + static_cast<int>((states + columns - 1) / columns) * panel + foot;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  svg += text_within(width - 2 * margin, margin, 22, title(plan.request), " font-size=\"14\"");
  for (std::size_t i = 0; i < states; ++i) {
    const Sharding& sharding = i == 0 ? plan.request.from : plan.steps[i - 1].after;
    const std::size_t row = i / columns, column = i % columns;
    const double left = margin + static_cast<double>(column) * (side + margin);
    const double top = head + static_cast<double>(row) * panel;
    svg += text_at(left, top + 18, i == 0 ? "before" : fmt::format("{}. {}", i, op_name(plan.steps[i - 1])),
                   " font-weight=\"bold\"");
    svg += text_within(side, left, top + 36, to_string(sharding));
    svg += drawn(whole, sharding, {left, top + above, side, static_cast<double>(high)}, devices);
  }
  return svg + legend(plan, height) + "</svg>\n";
}

}  // namespace

void write_picture(const std::string& path, const ReshardPlan& plan) { write_svg(path, picture(plan)); }

}  // namespace tutti::cli
