// SPDX-License-Identifier: Apache-2.0
// Compares plans with those of Shardy's own pass, for shardings without sums: never more bytes, never more
// steps.
// Both may cut axes into parts. Pairs that Shardy leaves alone are left out.
#include "tutti/plan/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/support/full_sets.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/shardings.hpp"
#include "tests/support/transitions.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

class shardy : public OracleTest {};

using Pairs = std::vector<std::pair<Sharding, Sharding>>;
/// Every `one_in`th of all pairs.
Pairs pairs_on(const Mesh& mesh, int rank, std::size_t one_in) {
  const std::vector<Sharding> all = all_shardings(mesh, rank);
  Pairs pairs;
  for (std::size_t i = 0; i < all.size() * all.size(); i += one_in)
    pairs.emplace_back(all[i / all.size()], all[i % all.size()]);
  return pairs;
}

/// `"x"`, or `"x":(1)2`.
std::string in_shardy(const std::string& name) {
  const std::size_t end = std::min(name.find('('), name.size());
  return fmt::format("\"{}\"{}{}", name.substr(0, end), end < name.size() ? ":" : "", name.substr(end));
}

/// `[{"x","y":(1)2}, {}]`.
std::string text_of(const Sharding& sharding) {
  std::string text;
  for (const Axes& axes : sharding.dims) {
    std::string names;
    for (const std::string& name : merged_names(axes)) names += (names.empty() ? "" : ",") + in_shardy(name);
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", names);
  }
  return "[" + text + "]";
}

std::string module_of(const Pairs& pairs, const Shape& shape) {
  std::string axes, type;
  const Mesh mesh = pairs[0].first.mesh.whole();
  for (const Axis& axis : mesh.axes())
    axes += fmt::format("{}\"{}\"={}", axes.empty() ? "" : ", ", axis.name, axis.size);
  for (std::int64_t extent : shape) type += std::to_string(extent) + "x";
  std::string text = "sdy.mesh @mesh = <[" + axes + "]>\n";
  for (std::size_t i = 0; i < pairs.size(); ++i)
    text += fmt::format(
        R"(func.func @f{0}(%a: tensor<{1}f32> {{sdy.sharding = #sdy.sharding<@mesh, {2}>}}) -> tensor<{1}f32> {{
  %0 = sdy.reshard %a <@mesh, {3}> : tensor<{1}f32>
  return %0 : tensor<{1}f32>
}}
)",
        i, type, text_of(pairs[i].first), text_of(pairs[i].second));
  return text;
}

struct Counts {
  int compared = 0, with_parts = 0, refused = 0, fewer_bytes = 0, fewer_steps = 0;
};
struct Totals {
  std::int64_t bytes = 0;
  int steps = 0;
};

std::int64_t product(const std::vector<std::int64_t>& parts) {
  std::int64_t all = 1;
  for (std::int64_t part : parts) all *= part;
  return all;
}

/// The totals that a device receives in "all_gather 2 1; all_to_all 1 2", from `parts` of each dim on.
Totals totals_of(const std::string& collectives, std::vector<std::int64_t> parts, std::int64_t bytes) {
  Totals totals;
  std::istringstream lines(collectives);
  for (std::string line; std::getline(lines, line, ';');) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "parts") words >> name;  // of axes
    std::vector<std::int64_t> after(parts.size());
    for (std::int64_t& part : after) words >> part;
    const std::int64_t before = bytes / product(parts), block = bytes / product(after);
    std::int64_t n = 1;  // devices that exchange
    for (std::size_t dim = 0; dim < parts.size(); ++dim)
      n *= std::max<std::int64_t>(1, parts[dim] / after[dim]);
    if (name == "all_gather") totals.bytes += block - before;
    if (name == "all_to_all") totals.bytes += before / n * (n - 1);
    if (name == "collective_permute") totals.bytes += before;
    totals.steps += name == "all_slice" ? 0 : 1;
    parts = after;
  }
  return totals;
}

std::vector<std::int64_t> parts_of(const Sharding& sharding) {
  std::vector<std::int64_t> parts;
  for (const Axes& axes : sharding.dims) parts.push_back(joint_size(axes));
  return parts;
}

PlanTotals planned(const Type& whole, const std::pair<Sharding, Sharding>& pair, PlanObjective objective) {
  return plan({whole, pair.first, pair.second, {.objective = objective, .parts = true}}).totals;
}

void compare(const Pairs& pairs, const Shape& shape, Counts& counts) {
  const Type whole(DType::f32, shape);
  const std::vector<std::string> theirs = Oracle::shared().reshards(module_of(pairs, shape));
  ASSERT_EQ(theirs.size(), pairs.size()) << theirs.at(0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_refused = theirs[i].find("reshard") != std::string::npos;
    const bool has_parts = theirs[i].find("parts") != std::string::npos;
    counts.refused += is_refused ? 1 : 0;
    counts.with_parts += has_parts ? 1 : 0;
    if (is_refused) continue;
    ++counts.compared;
    const Totals totals =
        totals_of(theirs[i], parts_of(pairs[i].first), static_cast<std::int64_t>(whole.bytes()));
    const PlanTotals by_bytes = planned(whole, pairs[i], PlanObjective::bytes);
    const PlanTotals by_steps = planned(whole, pairs[i], PlanObjective::steps);
    EXPECT_LE(by_bytes.bytes, totals.bytes)
        << text_of(pairs[i].first) << text_of(pairs[i].second) << theirs[i];
    EXPECT_LE(by_steps.steps, totals.steps)
        << text_of(pairs[i].first) << text_of(pairs[i].second) << theirs[i];
    counts.fewer_bytes += by_bytes.bytes < totals.bytes ? 1 : 0;
    counts.fewer_steps += by_steps.steps < totals.steps ? 1 : 0;
  }
}

TEST_F(shardy, sends_no_fewer_bytes_and_takes_no_fewer_steps) {
  Counts counts;
  const bool all = tries_full_sets();
  compare(pairs_on(Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), 2, all ? 1 : 7), {16, 16}, counts);
  compare(pairs_on(Mesh({{"x", 2}, {"y", 3}}), 2, all ? 1 : 2), {12, 12}, counts);
  compare(pairs_on(Mesh({{"x", 4}, {"y", 2}}), 2, all ? 1 : 2), {16, 16}, counts);
  compare(pairs_on(refined(Mesh({{"x", 4}, {"y", 2}}), {{2}, {}}), 2, all ? 2 : 11), {16, 16}, counts);
  compare(pairs_on(refined(Mesh({{"x", 2}, {"y", 6}}), {{}, {3}}), 2, all ? 2 : 11), {24, 24}, counts);
  compare(pairs_on(Mesh({{"x", 2}, {"y", 2}, {"z", 3}}), 3, all ? 4 : 151), {24, 24, 24}, counts);
  fmt::print("{} pairs: in {} Shardy sends more bytes, in {} it takes more steps; {} with parts of axes, {} "
             "refused\n",
             counts.compared, counts.fewer_bytes, counts.fewer_steps, counts.with_parts, counts.refused);
  EXPECT_GE(counts.compared, all ? 4'000 : 400);
  EXPECT_EQ(counts.refused, 0);
}

// --- The table ---------------------------------------------------------------------------------------------

/// Shardy's steps: "all_slice, all_gather"; those that name a part of an axis have a star.
std::string names_of(const std::string& collectives) {
  std::string text;
  std::istringstream lines(collectives);
  for (std::string line; std::getline(lines, line, ';');) {
    std::istringstream words(line);
    std::string name, star;
    words >> name;
    if (name == "parts") {
      star = "*";
      words >> name;
    }
    text += (text.empty() ? "" : ", ") + name + star;
  }
  return text;
}

/// Shardy's column: its steps and what a device receives. Its pass does not take sums.
std::string shardy_text(const Transition& row, const PlanRequest& request, const PlanTotals& ours) {
  if (!request.from.unreduced.empty() || !request.to.unreduced.empty()) return "no plan of sums";
  const std::vector<std::string> found =
      Oracle::shared().reshards(module_of({{request.from, request.to}}, row.shape));
  if (found.size() != 1 || found[0].find("reshard") != std::string::npos) return "no plan";
  const Totals theirs =
      totals_of(found[0], parts_of(request.from), static_cast<std::int64_t>(request.whole.bytes()));
  EXPECT_LE(ours.steps, theirs.steps) << "row " << row.number << ": " << found[0];
  return fmt::format("{}: {} bytes", names_of(found[0]), theirs.bytes);
}

// For each written transition our steps and bytes, Shardy's, and what nvFuser does:
//   TUTTI_PRINT=1 build/release/bin/oracle_tests --gtest_filter=shardy.has_a_column_in_the_table
TEST_F(shardy, has_a_column_in_the_table) {
  const bool prints = std::getenv("TUTTI_PRINT") != nullptr;
  std::vector<Transition> rows = transitions();
  rows.insert(rows.end(), transitions_with_parts().begin(), transitions_with_parts().end());
  std::ranges::sort(rows, {}, &Transition::number);
  for (const Transition& row : rows) {
    const PlanRequest asked = request_of(row, {.objective = PlanObjective::steps, .parts = true});
    const ReshardPlan found = plan(asked);
    const bool fit = found.request.from.mesh == found.request.to.mesh;
    const std::string theirs =
        fit ? shardy_text(row, found.request, found.totals) : "no plan of parts that do not fit";
    EXPECT_NE(theirs, "no plan") << "row " << row.number;
    if (prints)
      fmt::print("{}  Shardy: {:<62}  nvFuser: {}\n", row_text(row, found), theirs,
                 classify(found.request).nvfuser);
  }
}

}  // namespace
}  // namespace tutti
