// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t shown_groups = 4, shown_devices = 8;

std::string in_microseconds(double seconds) { return fmt::format("{:.1f}", seconds * 1e6); }

std::string names_of(const Axes& axes) { return fmt::format("{}", fmt::join(merged_names(axes), ", ")); }

Type block_of(const ReshardPlan& plan, const Sharding& sharding) {
  return padded_local_type(plan.request.whole, sharding);
}

// Where a sharding has an axis: a dim, "sum", "all".
std::string place_of(const Axis& axis, const Sharding& sharding) {
  for (std::size_t dim = 0; dim < sharding.dims.size(); ++dim)
    if (contains(sharding.dims[dim], axis)) return fmt::format("{}", dim);
  return contains(sharding.unreduced, axis) ? "sum" : "all";
}

std::string copies_of(const PlanStep& step, Type after) {
  if (step.scratch_bytes > 0) return fmt::format("packed, {}", in_bytes(step.scratch_bytes));
  const bool is_local = step.kind == StepKind::slice || step.kind == StepKind::mask;
  return is_local ? fmt::format("block, {}", in_bytes(static_cast<std::int64_t>(after.bytes()))) : "-";
}

std::string devices_text(const std::vector<int>& devices) {
  const std::size_t n = std::min(devices.size(), shown_devices);
  return fmt::format("{{{}{}}}",
                     fmt::join(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(n), " "),
                     n < devices.size() ? fmt::format(" .. of {}", devices.size()) : "");
}

// "over x, y: {0 1 2 3} {4 5 6 7}"; of a permute "over x, y: 1 -> 2, 2 -> 1".
std::string groups_of(const PlanStep& step) {
  const bool are_pairs = step.kind == StepKind::permute || step.kind == StepKind::move;
  const std::size_t n = std::min(step.groups.size(), are_pairs ? shown_devices : shown_groups);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < n; ++i)
    shown.push_back(are_pairs ? fmt::format("{} -> {}", step.groups[i][0], step.groups[i][1])
                              : devices_text(step.groups[i]));
  const std::string over = step.axes.empty() ? "" : fmt::format("over {}: ", names_of(step.axes));
  return fmt::format("{}{}{}", over, fmt::join(shown, are_pairs ? ", " : " "),
                     n < step.groups.size() ? fmt::format(" .. of {}", step.groups.size()) : "");
}

Row row_of(const ReshardPlan& plan, const PlanStep& step, std::size_t number) {
  const Type after = block_of(plan, step.after);
  return {fmt::format("{}", number),     std::string(op_name(step)),    moves_of(step),
          to_string(step.after),         shape_text(after.shape()),     in_bytes(step.sent_bytes),
          in_bytes(step.received_bytes), fmt::format("{}", step.peers), in_microseconds(step.seconds),
          copies_of(step, after)};
}

// Columns as wide as their widest text; numbers stand to the right. `below` follows each row.
std::string table(const std::vector<Row>& rows, const std::vector<std::string>& below) {
  constexpr std::size_t first_number = 5, last_number = 8;
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool is_number = column >= first_number && column <= last_number;
      const std::string gap = column == 0 ? "" : "  ";
      line += is_number ? fmt::format("{}{:>{}}", gap, rows[i][column], widths[column])
                        : fmt::format("{}{:<{}}", gap, rows[i][column], widths[column]);
    }
    text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
    if (!below[i].empty()) text += fmt::format("{:{}}{}\n", "", widths[0] + 2, below[i]);
  }
  return text;
}

std::string steps_table(const ReshardPlan& plan) {
  const Sharding& from = plan.request.from;
  std::vector<Row> rows{{"", "op", "moves", "sharding", "block", "sent", "received", "peers", "about us",
                         "copies"},
                        {"", "", "", to_string(from), shape_text(block_of(plan, from).shape()), "", "", "",
                         "", ""}};
  std::vector<std::string> below(2);
  for (const PlanStep& step : plan.steps) {
    rows.push_back(row_of(plan, step, rows.size() - 1));
    below.push_back(step.groups.empty() ? "" : groups_of(step));
  }
  return table(rows, below);
}

std::string totals_text(const PlanTotals& totals) {
  return fmt::format("{} between devices, {} local; {} received by a device; about {} us",
                     counted(totals.steps, "step"), totals.local, in_bytes(totals.bytes),
                     in_microseconds(totals.seconds));
}

}  // namespace

std::string shape_text(const Shape& shape) {
  return shape.rank() == 0 ? "scalar" : fmt::format("{}", fmt::join(shape.sizes(), "x"));
}
std::string mesh_text(const Mesh& mesh) {
  if (mesh.axes().empty() && mesh.is_in_device_order()) return "one device";
  if (mesh.is_in_device_order() || mesh.devices() <= static_cast<int>(shown_devices)) return to_string(mesh);
  std::vector<int> first;
  for (int position = 0; position < static_cast<int>(shown_devices); ++position)
    first.push_back(mesh.device_id(position));
  std::vector<std::string> axes;
  for (const Axis& axis : mesh.axes()) axes.push_back(fmt::format("{}={}", axis.name, axis.size));
  return fmt::format("{} on devices {} .. of {}", fmt::join(axes, ","), fmt::join(first, ","),
                     mesh.devices());
}

std::string moves_of(const PlanStep& step) {
  if (!(step.before.mesh == step.after.mesh)) return "to " + mesh_text(step.after.mesh.whole());
  std::vector<std::pair<std::string, Axes>>
      moves;  // parts that follow each other and go together move as one
  for (const Axis& axis : step.before.mesh.axes()) {
    const std::string from = place_of(axis, step.before), to = place_of(axis, step.after);
    if (from == to) continue;
    const std::string move = fmt::format("{} -> {}", from, to);
    const bool goes_on = !moves.empty() && moves.back().first == move &&
                         merged_names(Axes{moves.back().second.back(), axis}).size() == 1;
    if (goes_on) moves.back().second.push_back(axis);
    else moves.emplace_back(move, Axes{axis});
  }
  std::string text;
  for (const auto& [move, axes] : moves)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", names_of(axes), move);
  return text.empty() ? "order of axes" : text;
}

std::string to_string(const ReshardPlan& plan) {
  const auto& [whole, from, to, options] = plan.request;
  std::string text =
      from.mesh.whole() == to.mesh.whole()
          ? fmt::format("{} on {}, from {} to {}\n", to_string(whole), mesh_text(from.mesh.whole()),
                        to_string(from), to_string(to))
          : fmt::format("{}, from {} on {} to {} on {}\n", to_string(whole), to_string(from),
                        mesh_text(from.mesh.whole()), to_string(to), mesh_text(to.mesh.whole()));
  if (plan.steps.empty()) return text + "no step: every device holds what it needs\n";
  text += "\n" + steps_table(plan) + "\n";
  text += fmt::format("total: {}\n", totals_text(plan.totals));
  text += fmt::format("peak:  a block of {}; {} with operand, result and scratch of a step\n",
                      in_bytes(plan.peak_block_bytes), in_bytes(plan.peak_bytes));
  return text;
}

std::string one_collective(const ReshardPlan& plan) {
  if (plan.steps.size() == 1) {
    const PlanStep& step = plan.steps[0];
    return fmt::format("{}{}", op_name(step), step.axes.empty() ? "" : " over " + names_of(step.axes));
  }
  const std::string ours = classify(plan.request).ours;
  return ours.starts_with("composite") ? "none is enough" : ours;
}

std::string why(const ReshardPlan& plan) {
  std::string text = fmt::format("\none collective: {}\nin nvFuser:     {}\n", one_collective(plan),
                                 classify(plan.request).nvfuser);
  text += plan.others.empty() ? "other plans:    none\n" : "other plans:\n";
  for (const ReshardPlan::Other& other : plan.others) {
    std::vector<std::string> steps;
    for (const PlanStep& step : other.steps)
      steps.push_back(fmt::format("{} to {}", op_name(step), to_string(step.after)));
    text += fmt::format("  {}\n    {}: {}\n", fmt::join(steps, ", "), totals_text(other.totals), other.why);
  }
  return text;
}

}  // namespace tutti
