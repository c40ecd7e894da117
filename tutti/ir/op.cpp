// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/op.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

std::string_view ops::name(Rule rule) {
  switch (rule) {
    case Rule::jvp: return "jvp";
    case Rule::transpose: return "transpose";
    case Rule::batch: return "batch";
    case Rule::lower: return "lower";
  }
  return {};
}

void Op::refuse(Rule rule, std::string_view why) {
  fail(Code::refused_rule, "{} is refused: {}", ops::name(rule), why);
}

bool Op::have_effects(const std::vector<SubProgram>& programs) {
  return std::ranges::any_of(programs,
                             [](const SubProgram& program) { return program && has_effects(*program); });
}

Traffic Op::traffic_inside(const std::vector<SubProgram>& programs) {
  Traffic all;
  for (const SubProgram& program : programs)
    if (program) all = all + traffic_of(*program);
  return all;
}

std::string ops::to_string(const Op& op) {
  std::string fields;
  for (const auto& [field, value] : op->parameters())
    fields += (fields.empty() ? "" : ", ") + std::string(field) + "=" + value;
  return std::string(op->name()) + (fields.empty() ? "" : "{" + fields + "}");
}

}  // namespace tutti
