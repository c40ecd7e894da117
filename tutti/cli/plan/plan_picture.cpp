// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/page/sharding_picture.hpp"
#include "tutti/page/svg.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/plan/text.hpp"

namespace tutti::cli {
namespace {

constexpr int side = 200, line_height = 60;  // of an array of two dims, of fewer
constexpr int margin = 24, above = 44, below = 24, head = 34, foot = 42;
constexpr std::size_t in_a_row = 4;

// The array under one sharding.
std::string drawn(const Shape& whole, const Sharding& sharding, const Area& area, int colours) {
  const BlockGrid grid = block_grid(whole, sharding);
  const std::string svg = frames(whole, sharding, grid, first_dims(whole.rank()), {}, area, colours);
  const std::string without = without_block(sharding, grid);
  return without.empty() ? svg
                         : svg + text_within(area.width, area.left, area.top + area.height + 16, without);
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

std::string title(const PlanRequest& request) {
  const Mesh from = request.from.mesh.whole(), to = request.to.mesh.whole();
  const std::string then = from == to ? "" : ", then on " + mesh_text(to);
  return fmt::format("{} on {}{}", to_string(request.whole), mesh_text(from), then);
}

std::string picture(const ReshardPlan& plan) {
  const int colours = std::max(colours_of(plan.request.from.mesh), colours_of(plan.request.to.mesh));
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
    svg += drawn(whole, sharding, {left, top + above, side, static_cast<double>(high)}, colours);
  }
  return svg + legend(plan, height) + "</svg>\n";
}

}  // namespace

void write_picture(const std::string& path, const ReshardPlan& plan) { write_svg(path, picture(plan)); }

}  // namespace tutti::cli
