// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/named_op.hpp"

#include <algorithm>

#include "tutti/cli/ops/named_function.hpp"
#include "tutti/cli/ops/op_facts.hpp"
#include "tutti/cli/reference/lookup.hpp"

namespace tutti::cli {

std::vector<const OpRow*> named_ops(const std::string& name) {
  std::vector<const OpRow*> found;
  for (const OpRow& row : all_ops()) {
    if (row.name == name) return {&row};
    std::vector<std::string> names = front_ends(row);
    if (std::ranges::find(names, name) != names.end()) found.push_back(&row);
  }
  return found;
}

bool is_op(const std::string& name) {
  return std::ranges::any_of(all_ops(), [&](const OpRow& row) { return row.name == name; });
}

bool is_ours(const std::string& name) {
  return named_function(name) || !named_ops(name).empty() || !declared(name).empty();
}

std::vector<std::string> names_of_ops() {
  std::vector<std::string> names;
  for (const OpRow& row : all_ops()) {
    names.push_back(row.name);
    const std::vector<std::string> more = front_ends(row);
    names.insert(names.end(), more.begin(), more.end());
  }
  for (const std::vector<FunctionRow>* all : {&functions_made_of_ops(), &all_transforms()})
    for (const FunctionRow& row : *all) names.emplace_back(row.name);
  return names;
}

}  // namespace tutti::cli
