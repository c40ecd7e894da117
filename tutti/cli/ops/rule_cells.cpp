// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/rule_cells.hpp"

namespace tutti::cli {
namespace {

// The rules that no op may refuse: an op without them does not compile.
constexpr std::string_view required_rules[] = {"mixing", "infer", "kernel", "examples"};

RuleCell refusable(const OpRow& row, Rule rule) {
  std::string_view reason;
  bool always = true;
  for (const Example& example : row.examples) {
    std::string_view why = example.op->refusal(rule);
    if (why.empty()) always = false;
    else reason = why;
  }
  return {name(rule), reason.empty() ? "rule" : always ? "refused" : "partly", reason};
}

}  // namespace

std::vector<RuleCell> rule_cells(const OpRow& row) {
  std::vector<RuleCell> all;
  for (std::string_view rule : required_rules) all.push_back({rule, "rule", {}});
  for (const RuleCell& cell : refusable_rule_cells(row)) all.push_back(cell);
  return all;
}

std::vector<RuleCell> refusable_rule_cells(const OpRow& row) {
  std::vector<RuleCell> all;
  for (Rule rule : all_refusable_rules) all.push_back(refusable(row, rule));
  return all;
}

}  // namespace tutti::cli
