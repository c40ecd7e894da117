// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tutti/cli/ops/rule_cells.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/control/all_ops.hpp"

namespace tutti::cli {
namespace {

void print_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const OpRow& row : all_ops()) {
    nlohmann::ordered_json rules;
    for (const RuleCell& cell : rule_cells(row))
      rules[std::string(cell.rule)] = {{"state", cell.state}, {"reason", cell.reason}};
    all.push_back({{"op", row.name}, {"rules", rules}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_table() {
  std::size_t width = 0;
  for (const OpRow& row : all_ops()) width = std::max(width, row.name.size());
  fmt::print("{:<{}}", "op", width);
  for (const RuleCell& cell : rule_cells(all_ops()[0])) fmt::print("  {:<9}", cell.rule);
  fmt::print("\n");
  for (const OpRow& row : all_ops()) {
    fmt::print("{:<{}}", row.name, width);
    for (const RuleCell& cell : rule_cells(row)) fmt::print("  {:<9}", cell.state);
    fmt::print("\n");
  }
  fmt::print("\nrefused, or refused for some parameters (partly), and why:\n");
  for (const OpRow& row : all_ops())
    for (const RuleCell& cell : rule_cells(row))
      if (!cell.reason.empty())
        fmt::print("{:<{}}  {:<9}  {:<7}  {}\n", row.name, width, cell.rule, cell.state, cell.reason);
}

}  // namespace

int rules(const RulesOptions& options) {
  if (options.json) print_json();
  else print_table();
  return 0;
}

}  // namespace tutti::cli
