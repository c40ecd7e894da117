// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/rule_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "tutti/base/error.hpp"
#include "tutti/cli/ops/op_facts.hpp"

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
  return {name(rule), reason.empty() ? "rule" : always ? "refused" : "partly", std::string(reason)};
}

}  // namespace

RuleCell reading_cell(const OpRow& row) {
  if (!row.examples[0].op->refusal(Rule::lower).empty()) return {"read", "refused", "it has no text"};
  try {
    std::vector<std::string> names;  // of the first example that becomes other ops
    for (const Example& each : row.examples) {
      const std::vector<std::string> here = read_again(each);
      if (std::ranges::find(here, row.name) != here.end()) return {"read", "rule", {}};
      if (names.empty()) names = here;
    }
    if (names.empty()) return {"read", "partly", "its text has no operation of it"};
    constexpr std::size_t most = 4;
    const std::span<const std::string> shown(names.data(), std::min(names.size(), most));
    return {"read", "partly",
            fmt::format("its text is read as {}{}", fmt::join(shown, ", "),
                        names.size() > most ? ", .." : "")};
  } catch (const Error& error) {
    const std::string why = error.notes().empty() ? error.message() : error.notes()[0];
    return {"read", "refused", why.substr(0, why.find(", 1 time"))};
  }
}

RuleCell traffic_cell(const OpRow& row) {
  const bool communicates =
      std::ranges::any_of(row.examples, [](const Example& each) { return !each.op->communicates().empty(); });
  return {"traffic", communicates ? "rule" : "local", {}};
}

std::vector<RuleCell> rule_cells(const OpRow& row) {
  std::vector<RuleCell> all;
  for (std::string_view rule : required_rules) all.push_back({rule, "rule", {}});
  all.push_back(traffic_cell(row));
  for (const RuleCell& cell : refusable_rule_cells(row)) all.push_back(cell);
  all.push_back(reading_cell(row));
  return all;
}

std::vector<RuleCell> refusable_rule_cells(const OpRow& row) {
  std::vector<RuleCell> all;
  for (Rule rule : all_refusable_rules) all.push_back(refusable(row, rule));
  return all;
}

}  // namespace tutti::cli
