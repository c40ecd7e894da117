// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/kernel/kernel_picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/page/svg.hpp"

namespace tutti::cli {
namespace {

using namespace kernels;

constexpr double margin = 24, head = 64, label = 96, box_width = 34, box_height = 18, between_ranks = 34;
constexpr std::int64_t most_steps = 32;  // boxes per row
constexpr int most_rows = 8;             // rows per rank

/// One visit of a tile by a program, with the ranks that the tile comes from.
struct Step {
  std::vector<int> sources;
  std::int64_t tile;
};

/// The source of a rank in a ppermute; empty if the rank has none.
std::vector<int> paired_sources(const CollectiveSpec& spec, int rank) {
  for (const auto& [source, target] : spec.pairs)
    if (target == rank) return {source};
  return {};
}

std::vector<int> all_ranks(int world) {
  std::vector<int> ranks;
  for (int rank = 0; rank < world; ++rank) ranks.push_back(rank);
  return ranks;
}

// Lists the visits of a program. A reduction visits a tile once, for all ranks; a ppermute has one source.
std::vector<Step> steps_of(const Manifest& manifest, int rank, int program) {
  const CollectiveSpec& spec = manifest.spec;
  std::vector<Step> steps;
  const bool has_one_step_per_tile = is_reduction(spec.kind) || spec.kind == CollectiveKind::ppermute;
  if (has_one_step_per_tile) {
    const std::vector<int> sources =
        is_reduction(spec.kind) ? all_ranks(spec.world) : paired_sources(spec, rank);
    for (std::int64_t k = 0; k < tiles_of(manifest.launch, program) && k <= most_steps; ++k)
      steps.push_back({sources, program + k * manifest.launch.grid});
    return steps;
  }
  const VisitOrder order = visit_order(spec, manifest.launch, rank);
  for (std::int64_t k = 0; k < order.steps(program) && k <= most_steps; ++k) {
    const Visit visit = *order.visit(program, k);
    steps.push_back({{visit.source}, visit.tile});
  }
  return steps;
}

std::string box(double left, double top, const Step& step, int world) {
  std::string svg;
  const double part = box_width / static_cast<double>(std::max<std::size_t>(step.sources.size(), 1));
  for (std::size_t i = 0; i < step.sources.size(); ++i)
    svg += rectangle({left + part * static_cast<double>(i), top, part, box_height},
                     fmt::format("fill=\"{}\"", colour_of(step.sources[i], world)));
  svg += rectangle({left, top, box_width, box_height}, "fill=\"none\" stroke=\"#555\"");
  return svg + text_within(box_width - 4, left + box_width / 2, top + 13, fmt::format("{}", step.tile),
                           " text-anchor=\"middle\" font-size=\"11\"");
}

std::string row(const Manifest& manifest, int rank, int program, double top) {
  std::string svg = text_at(margin, top + 13, fmt::format("program {}", program));
  const std::vector<Step> steps = steps_of(manifest, rank, program);
  const auto shown = std::min<std::size_t>(steps.size(), most_steps);
  double left = margin + label;
  for (std::size_t i = 0; i < shown; ++i, left += box_width)
    svg += box(left, top, steps[i], manifest.spec.world);
  if (steps.size() > shown) svg += text_at(left + 6, top + 13, "and so on");
  return svg;
}

std::string legend(int world) {
  std::string svg = text_at(margin, 52, "tiles of rank");
  for (int rank = 0; rank < world; ++rank) {
    const double left = margin + label + rank * box_width;
    svg += rectangle({left, 40, box_width - 4, 16}, fmt::format("fill=\"{}\"", colour_of(rank, world)));
    svg += text_at(left + 12, 52, fmt::format("{}", rank));
  }
  return svg;
}

/// The number of boxes in the longest row, with room for "and so on" if the row is cut.
std::int64_t widest_row(const Manifest& manifest, int rows) {
  std::int64_t most = 0;
  for (int program = 0; program < rows; ++program)
    most = std::max(most, static_cast<std::int64_t>(steps_of(manifest, 0, program).size()));
  return most > most_steps ? most_steps + 2 : most;
}

}  // namespace

void write_kernel_picture(const std::string& path, const Manifest& manifest) {
  const int world = manifest.spec.world, rows = std::min(manifest.launch.grid, most_rows);
  constexpr std::int64_t title = 14;  // boxes
  const std::int64_t boxes = std::max({widest_row(manifest, rows), std::int64_t{world}, title});
  const double width = 2 * margin + label + box_width * static_cast<double>(boxes);
  std::string svg =
      text_within(width - 2 * margin, margin, 24, kernels::to_string(manifest.spec), " font-size=\"14\"");
  svg += legend(world);
  double top = head;
  for (int rank = 0; rank < world; ++rank) {
    svg += text_at(margin, top + 14,
                   fmt::format("rank {}{}", rank,
                               rows < manifest.launch.grid
                                   ? fmt::format(", {} of its {}", rows,
                                                 counted(manifest.launch.grid, "program"))
                               : manifest.launch.grid == 0 ? ", which launches nothing: the block is empty"
                                                           : ""));
    for (int program = 0; program < rows; ++program)
      svg += row(manifest, rank, program, top + 22 + program * (box_height + 3));
    top += rows * (box_height + 3) + between_ranks;
  }
  const std::string whole = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                                        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
                                        "height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
                                        width, top + margin, svg);
  write_svg(path, whole);
}

}  // namespace tutti::cli
