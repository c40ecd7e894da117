// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/control/all_ops.hpp"

namespace tutti::cli {

/// Whether an op has a rule.
struct RuleCell {
  std::string_view rule;
  std::string_view state;  // rule, refused, or partly: refused for some parameters; local: nothing is sent
  std::string reason;      // of a refusal
};
/// All rules of an op, in the order of the table of `tutti rules`.
std::vector<RuleCell> rule_cells(const OpRow& row);
/// Whether it says what devices send each other, or is local.
RuleCell traffic_cell(const OpRow& row);
/// How its text is read: as this op, or partly: as the ops that compute it.
RuleCell reading_cell(const OpRow& row);
/// The cells of the refusable rules only: jvp, transpose, batch, lower.
std::vector<RuleCell> refusable_rule_cells(const OpRow& row);

}  // namespace tutti::cli
