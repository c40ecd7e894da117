// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tutti/cli/options.hpp"
#include "tutti/control/all_ops.hpp"

namespace tutti::cli {
namespace {

struct Cell {
  std::string_view rule;
  std::string_view refusal;   // empty: the rule is there
};

// The rules that no op may refuse: an op without them does not compile.
constexpr std::string_view required_rules[] = {"mixing", "infer", "kernel"};

std::vector<Cell> cells(const OpRow& row) {
  const Op& op = row.examples[0].op;
  std::vector<Cell> all;
  for (std::string_view rule : required_rules) all.push_back({rule, {}});
  for (Rule rule : all_refusable_rules) all.push_back({name(rule), op->refusal(rule)});
  all.push_back({"examples", {}});
  return all;
}

void print_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const OpRow& row : all_ops()) {
    nlohmann::ordered_json rules;
    for (const Cell& cell : cells(row))
      rules[std::string(cell.rule)] = {{"state", cell.refusal.empty() ? "rule" : "refused"}, {"reason", cell.refusal}};
    all.push_back({{"op", row.name}, {"rules", rules}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_table() {
  std::size_t width = 0;
  for (const OpRow& row : all_ops()) width = std::max(width, row.name.size());
  fmt::print("{:<{}}", "op", width);
  for (const Cell& cell : cells(all_ops()[0])) fmt::print("  {:<9}", cell.rule);
  fmt::print("\n");
  for (const OpRow& row : all_ops()) {
    fmt::print("{:<{}}", row.name, width);
    for (const Cell& cell : cells(row)) fmt::print("  {:<9}", cell.refusal.empty() ? "rule" : "refused");
    fmt::print("\n");
  }
  fmt::print("\nrefused, and why:\n");
  for (const OpRow& row : all_ops())
    for (const Cell& cell : cells(row))
      if (!cell.refusal.empty()) fmt::print("{:<{}}  {:<9}  {}\n", row.name, width, cell.rule, cell.refusal);
}

}  // namespace

int rules(const RulesOptions& options) {
  if (options.json) print_json();
  else print_table();
  return 0;
}

}  // namespace tutti::cli
