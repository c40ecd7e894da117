// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/patterns/inlined.hpp"

#include <algorithm>
#include <unordered_map>

namespace tutti {
namespace {

constexpr std::size_t most_operations = 16;  // JAX's helpers for one slice have up to eight

const stablehlo::Function* short_function(const SourceModule& source, const stablehlo::Operation& op) {
  if (op.name != "func.call") return nullptr;
  const stablehlo::Function* function = source.called(op);
  if (!function || function->is_declaration || function->body.operations.size() > most_operations)
    return nullptr;
  const bool is_plain = std::ranges::all_of(function->body.operations, [](const stablehlo::Operation& inner) {
    return inner.regions.empty() && inner.name != "func.call";
  });
  const bool fits = function->body.arguments.size() == op.operands.size();
  return is_plain && fits ? function : nullptr;
}

/// Appends the operations of a function with the values of a call.
void append(const stablehlo::Function& function, const stablehlo::Operation& call, int& next,
            std::vector<stablehlo::Operation>& operations) {
  std::unordered_map<int, int> renamed;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    renamed[function.body.arguments[i].id] = call.operands[i].id;
  const stablehlo::Operation& last = function.body.operations.back();
  for (std::size_t i = 0; i < call.results.size() && i < last.operands.size(); ++i)
    renamed.try_emplace(last.operands[i].id, call.results[i].id);
  for (const stablehlo::Operation& op : function.body.operations) {
    if (&op == &last) break;
    stablehlo::Operation& copy = operations.emplace_back(op);
    for (stablehlo::Value& operand : copy.operands) operand.id = renamed.at(operand.id);
    for (stablehlo::Value& result : copy.results) {
      const auto [known, is_new] = renamed.try_emplace(result.id, next);
      next += is_new ? 1 : 0;
      result.id = known->second;
    }
  }
}

/// True if the function returns values that it makes, each once: then its results can have the call's names.
bool returns_own_values(const stablehlo::Function& function) {
  const stablehlo::Operation& last = function.body.operations.back();
  std::vector<int> returned;
  for (const stablehlo::Value value : last.operands) {
    const bool is_argument =
        std::ranges::find(function.body.arguments, value) != function.body.arguments.end();
    if (is_argument || std::ranges::find(returned, value.id) != returned.end()) return false;
    returned.push_back(value.id);
  }
  return true;
}

}  // namespace

stablehlo::Block inlined(const SourceModule& source, const stablehlo::Block& block, int& next) {
  stablehlo::Block result{block.arguments, block.argument_types, {}};
  for (const stablehlo::Operation& op : block.operations) {
    const stablehlo::Function* function = short_function(source, op);
    if (function && returns_own_values(*function)) append(*function, op, next, result.operations);
    else result.operations.push_back(op);
  }
  return result;
}

int number_behind(const stablehlo::Operation& op) {
  int largest = 0;
  for (const stablehlo::Value value : op.results) largest = std::max(largest, value.id);
  for (const stablehlo::Value value : op.operands) largest = std::max(largest, value.id);
  for (const stablehlo::Block& region : op.regions) {
    for (const stablehlo::Value value : region.arguments) largest = std::max(largest, value.id);
    for (const stablehlo::Operation& inner : region.operations)
      largest = std::max(largest, number_behind(inner) - 1);
  }
  return largest + 1;
}

}  // namespace tutti
