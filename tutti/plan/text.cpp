// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/core.h>

#include "tutti/base/counted.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {
namespace {

using Row = std::vector<std::string>;

// The first column and those of words on the left, numbers on the right.
std::string table(const std::vector<Row>& rows, std::size_t words) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line +=
          i < words ? fmt::format("  {:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string groups_of(const PlanStep& step) {
  if (step.groups.empty()) return "";
  if (step.kind == StepKind::permute) return counted(std::ssize(step.groups), "pair");
  return fmt::format("{} of {}", step.groups.size(), step.groups[0].size());
}

std::string microseconds(double seconds) { return fmt::format("{:.2f} us", 1e6 * seconds); }

std::string names_of(const std::vector<PlanStep>& steps) {
  std::string text;
  for (const PlanStep& step : steps) text += (text.empty() ? "" : ", ") + std::string(name(step.kind));
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string to_string(const ReshardPlan& plan) {
  const PlanRequest& request = plan.request;
  std::string text =
      fmt::format("{} on {}: {} -> {}\n", to_string(request.whole), to_string(request.from.mesh),
                  to_string(request.from), to_string(request.to));
  std::vector<Row> rows{{"step", "over", "sharding after", "local type", "groups", "sent", "received",
                         "peers", "scratch", "time"}};
  for (const PlanStep& step : plan.steps)
    rows.push_back({std::string(name(step.kind)), step.axes.empty() ? "" : to_string(step.axes),
                    to_string(step.after), to_string(local_type(request.whole, step.after)), groups_of(step),
                    std::to_string(step.sent_bytes), std::to_string(step.received_bytes),
                    std::to_string(step.peers), std::to_string(step.scratch_bytes),
                    microseconds(step.seconds)});
  constexpr std::size_t columns_of_words = 5;
  if (!plan.steps.empty()) text += table(rows, columns_of_words);
  text +=
      fmt::format("  {} that communicate{}, {} local; {} received, {}; largest block {}, peak {}\n",
                  counted(plan.totals.steps, "step"), plan.totals.steps == 1 ? "s" : "", plan.totals.local,
                  counted(plan.totals.bytes, "byte"), microseconds(plan.totals.seconds),
                  counted(plan.peak_block_bytes, "byte"), counted(plan.peak_bytes, "byte"));
  for (const OtherPlan& other : plan.others)
    text += fmt::format("  not {}: {}\n", names_of(other.steps), other.why);
  return text;
}

}  // namespace tutti
