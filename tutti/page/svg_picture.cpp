// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/svg_picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tutti/page/sharding_picture.hpp"
#include "tutti/page/svg.hpp"

namespace tutti::internal {
namespace {

// Pictures with more have a text per frame instead of a tile per device.
constexpr int most_tiled_devices = 256;
constexpr std::size_t most_tiled_blocks = 30;  // along a dim: 400 / 30 is room for a number
constexpr std::size_t most_panels = 16, panels_in_a_row = 4;
constexpr std::size_t most_rows = 16, most_columns = 6;  // of frames with counts
constexpr std::size_t most_letters = 14;
constexpr double margin = 24, head = 50, title_height = 22, line_height = 18;
constexpr double row_label_width = 76, column_label_height = 18;
constexpr double cell_width = 104, cell_height = 26, class_label_width = 150;
constexpr double least_row = 12, least_column = 30;  // smaller ones have no label
constexpr std::string_view to_the_left = " text-anchor=\"end\"", in_the_middle = " text-anchor=\"middle\"";

/// A piece of the picture and its size.
struct Drawing {
  std::string svg;
  double width = 0, height = 0;
};

struct Subject {
  const LaidArray& array;
  Sharding sharding;
  BlockGrid grid;
  ShownDims shown;
  bool is_tiled;
  Naming naming;
};

Subject subject_of(const LaidArray& array) {
  Subject of{array, sharding_or_host(array), {}, {}, false, Naming::numbers};
  of.grid = block_grid(array.whole, of.sharding);
  of.shown = split_dims(of.grid);
  of.is_tiled = of.sharding.mesh.devices() <= most_tiled_devices &&
                of.grid.parts(of.shown.down) <= most_tiled_blocks &&
                of.grid.parts(of.shown.across) <= most_tiled_blocks;
  if (!of.is_tiled) of.naming = naming_for(array, of.grid, most_letters);
  return of;
}

/// The labels of rows and columns that are drawn to scale. Small rows and columns have none.
std::string labels_to_scale(const Subject& of, const Area& area) {
  std::string svg;
  for (std::size_t part = 0; of.shown.down && part < of.grid.parts(of.shown.down); ++part) {
    const Interval rows = of.grid.dims[static_cast<std::size_t>(*of.shown.down)][part];
    const double each = area.height / static_cast<double>(of.array.whole[*of.shown.down]);
    if (each * static_cast<double>(rows.end - rows.begin) < least_row) continue;
    svg += text_at(area.left - 6, area.top + each * static_cast<double>(rows.begin + rows.end) / 2 + 4,
                   label(of.array, of.grid, *of.shown.down, part, Naming::numbers), to_the_left);
  }
  for (std::size_t part = 0; of.shown.across && part < of.grid.parts(of.shown.across); ++part) {
    const Interval columns = of.grid.dims[static_cast<std::size_t>(*of.shown.across)][part];
    const double each = area.width / static_cast<double>(of.array.whole[*of.shown.across]);
    const double width = each * static_cast<double>(columns.end - columns.begin);
    if (width < least_column) continue;
    svg += text_within(width, area.left + each * static_cast<double>(columns.begin + columns.end) / 2,
                       area.top - 6, label(of.array, of.grid, *of.shown.across, part, Naming::numbers),
                       in_the_middle);
  }
  return svg;
}

/// A panel with a tile for each device.
Drawing tiled_panel(const Subject& of, const Panel& panel, double left, double top, double side) {
  const double height = of.shown.down ? side : side / 3;
  const Area area{left + (of.shown.down ? row_label_width : 0), top + column_label_height, side, height};
  std::string svg = labels_to_scale(of, area);
  if (of.array.sharding)
    svg += frames(of.array.whole, of.sharding, of.grid, of.shown, panel, area, colours_of(of.sharding.mesh));
  else
    svg += rectangle(area, "fill=\"#ddd\" stroke=\"#222\"") +
           text_at(area.left + side / 2, area.top + height / 2 + 4, "host", in_the_middle);
  return {svg, area.left + side - left, area.top + height - top};
}

/// A cell of a panel with counts. `row` and `column` are none in a gap.
std::string cell(const Subject& of, const Panel& panel, std::optional<std::size_t> row,
                 std::optional<std::size_t> column, const Area& area) {
  if (!row || !column)
    return text_at(area.left + area.width / 2, area.top + area.height / 2 + 4, "..", in_the_middle);
  const std::vector<int>& holders = holders_in(of.grid, of.shown, panel, *row, *column);
  const std::string colour = colour_of(of.sharding.mesh.device_id(holders[0]), colours_of(of.sharding.mesh));
  return rectangle(area, fmt::format("fill=\"{}\" stroke=\"#222\"", colour)) +
         text_within(area.width - 4, area.left + area.width / 2, area.top + area.height / 2 + 4,
                     cell_text(of.array, holders, of.naming), in_the_middle);
}

/// A panel with a frame of one size for each block, or for the first and the last ones.
Drawing counted_panel(const Subject& of, const Panel& panel, double left, double top) {
  const auto rows = shown_of(of.grid.parts(of.shown.down), most_rows);
  const auto columns = shown_of(of.grid.parts(of.shown.across), most_columns);
  const double label_width = of.shown.down ? class_label_width : 0;
  std::string svg;
  double y = top + column_label_height;
  for (std::size_t i = 0; i < rows.size(); ++i, y += cell_height) {
    if (of.shown.down && rows[i])
      svg += text_within(label_width - 8, left + label_width - 6, y + cell_height / 2 + 4,
                         label(of.array, of.grid, *of.shown.down, *rows[i], of.naming), to_the_left);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double x = left + label_width + cell_width * static_cast<double>(k);
      if (i == 0 && of.shown.across && columns[k])
        svg += text_within(cell_width - 4, x + cell_width / 2, top + 12,
                           label(of.array, of.grid, *of.shown.across, *columns[k], of.naming), in_the_middle);
      svg += cell(of, panel, rows[i], columns[k], {x, y, cell_width, cell_height});
    }
  }
  return {svg, label_width + cell_width * static_cast<double>(columns.size()), y - top};
}

/// All panels, side by side and below each other, each with its title.
Drawing panels_drawn(const Subject& of, double top) {
  const std::vector<Panel> panels = panels_of(of.grid, of.shown);
  const std::size_t n = of.grid.holders.empty() ? 0 : std::min(panels.size(), most_panels);
  Drawing all;
  double left = margin, row_height = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && i % panels_in_a_row == 0) {
      left = margin;
      all.height += row_height + margin;
    }
    const double y = top + all.height, below_title = n > 1 ? title_height : 0;
    Drawing panel = of.is_tiled ? tiled_panel(of, panels[i], left, y + below_title, n > 1 ? 200 : 400)
                                : counted_panel(of, panels[i], left, y + below_title);
    if (n > 1)
      all.svg += text_within(panel.width, left, y + 14,
                             panel_title(of.array, of.grid, of.shown, panels[i], of.naming),
                             " font-weight=\"bold\"");
    all.svg += panel.svg;
    row_height = panel.height + below_title;
    left += panel.width + margin;
    all.width = std::max(all.width, left - 2 * margin);
  }
  all.height += row_height;
  return all;
}

std::vector<std::string> lines_below(const Subject& of) {
  std::vector<std::string> lines;
  if (of.is_tiled && of.array.sharding && !of.grid.holders.empty())
    lines.emplace_back("frame: a block; tile: a device that holds it");
  const std::size_t panels = panels_of(of.grid, of.shown).size();
  if (panels > most_panels) lines.push_back(more_panels(panels - most_panels));
  for (std::string& note : notes(of.array, of.grid, of.shown, of.naming)) lines.push_back(std::move(note));
  return lines;
}

}  // namespace

std::string svg_picture(const LaidArray& array) {
  const Subject of = subject_of(array);
  const Drawing panels = panels_drawn(of, head);
  const std::vector<std::string> lines = lines_below(of);
  const double inner = std::max(panels.width, 400.0), width = inner + 2 * margin;
  const double below = head + panels.height + margin;
  const double height = below + line_height * static_cast<double>(lines.size()) + margin / 2;
  std::string svg =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                  "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                  width, height);
  svg += text_within(inner, margin, 28, heading(array), " font-size=\"14\"") + panels.svg;
  for (std::size_t i = 0; i < lines.size(); ++i)
    svg +=
        text_within(inner, margin, below + line_height * static_cast<double>(i), lines[i], " fill=\"#555\"");
  return svg + "</svg>\n";
}

}  // namespace tutti::internal
