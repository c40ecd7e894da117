// SPDX-License-Identifier: Apache-2.0
// Pretty forms of operations with regions, of calls, and of the dialect sdy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/write/writer.hpp"

namespace tutti::stablehlo {
namespace {

/// The name of the operation that a reducer of one array applies to its two arguments, in order; empty: it
/// does anything else.
std::string_view applied_by(const Block& reducer) {
  if (reducer.arguments.size() != 2 || reducer.operations.size() != 2) return {};
  const Operation &op = reducer.operations[0], &end = reducer.operations[1];
  const bool is_plain = op.operands == reducer.arguments && op.results.size() == 1 && op.attributes.empty() &&
                        op.regions.empty() && end.operands == op.results &&
                        op.result_types[0] == op.operand_types[0] &&
                        reducer.argument_types == op.operand_types && op.name.starts_with("stablehlo.");
  return is_plain ? std::string_view(op.name) : std::string_view();
}

}  // namespace

/// (%x init: %i) applies stablehlo.add across dimensions = [1] : (T, S) -> U
/// (%a init: %i), (%b init: %j) across dimensions = [0] : (..) -> (..)
///  reducer(%p: T, %q: T) (%r: U, %s: U) {..}
bool Writer::reduce(const Operation& op) {
  const auto* dims = find_as<IntegerArray>(op.attributes, "dimensions");
  const std::size_t count = op.operands.size() / 2;
  if (!dims || op.operands.size() % 2 != 0 || op.regions.size() != 1 ||
      op.regions[0].arguments.size() != 2 * count)
    return false;
  std::vector<std::string> reduced;
  for (std::size_t i = 0; i < count; ++i)
    reduced.push_back(
        fmt::format("({} init: {})", name(op, op.operands[i]), name(op, op.operands[count + i])));
  const Block& reducer = op.regions[0];
  const std::string_view applied = applied_by(reducer);
  std::string text = fmt::format("stablehlo.reduce{}", fmt::join(reduced, ", "));
  if (!applied.empty()) text += fmt::format(" applies {}", applied);
  text += fmt::format(" across dimensions = [{}]{} : {}", fmt::join(dims->values, ", "),
                      other_attributes(op, {"dimensions"}), functional_type(op));
  const std::string head = results_text(op) + text;
  if (!applied.empty()) {
    line(head + location(op.location));
    return true;
  }
  line(head);
  std::string arguments;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string first = argument(reducer, i), second = argument(reducer, count + i);
    arguments += fmt::format("{}({}, {})", i ? " " : "", first, second);
  }
  line(" reducer" + arguments + " {");
  lines_of(reducer);
  line("}" + location(op.location));
  return true;
}

/// (%i = %a, %j = %b) : T, U attributes {..} cond {..} do {..}
bool Writer::while_loop(const Operation& op) {
  const bool has_carries = !op.operands.empty() && op.regions.size() == 2 &&
                           std::ranges::all_of(op.regions, [&](const Block& region) {
                             return region.arguments.size() == op.operands.size();
                           });
  if (!has_carries) return false;
  std::vector<std::string> carries;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const std::string outer = name(op, op.operands[i]);
    const std::string carry = fmt::format("%arg{}", arguments_++);
    for (const Block& region : op.regions) names_[region.arguments[i].id] = carry;
    carries.push_back(fmt::format("{} = {}", carry, outer));
  }
  const std::string others = other_attributes(op, {});
  line(fmt::format("{}stablehlo.while({}) : {}{}", results_text(op), fmt::join(carries, ", "),
                   listed_types(op.operand_types), others.empty() ? "" : " attributes" + others));
  line("cond {");
  lines_of(op.regions[0]);
  line("} do {");
  lines_of(op.regions[1]);
  line("}" + location(op.location));
  return true;
}

/// %a, %b : T, U
Writer::PrettyForm Writer::returned(const Operation& op) {
  if (op.operands.empty()) return Pretty{""};
  return Pretty{" " + operands(op), {}, listed_types(op.operand_types)};
}

/// @f(%x) {..} : (T) -> U
Writer::PrettyForm Writer::call(const Operation& op) {
  const auto* callee = find_as<Symbol>(op.attributes, "callee");
  if (!callee) return std::nullopt;
  return Pretty{fmt::format(" {}({})", symbol(callee->name), operands(op)), {"callee"}, functional_type(op)};
}

/// @target(%x) {..} : (T) -> U
Writer::PrettyForm Writer::custom_call(const Operation& op) {
  const auto* target = find_as<std::string>(op.attributes, "call_target_name");
  if (!target) return std::nullopt;
  return Pretty{fmt::format(" {}({})", symbol(*target), operands(op)),
                {"call_target_name"},
                functional_type(op)};
}

/// "chlo.erf" %x {decomposition = @chlo.erf.impl} : (T) -> U
Writer::PrettyForm Writer::composite(const Operation& op) {
  const auto* name = find_as<std::string>(op.attributes, "name");
  if (!name) return std::nullopt;
  return Pretty{fmt::format(" {} {}", quoted(*name), operands(op)), {"name"}, functional_type(op)};
}

/// %a, %b : T, U
Writer::PrettyForm Writer::barrier(const Operation& op) {
  if (op.operands.empty() || op.operand_types != op.result_types) return std::nullopt;
  return Pretty{" " + operands(op), {}, listed_types(op.operand_types)};
}

Writer::PrettyForm Writer::without_operands(const Operation& op) {
  return op.operands.empty() ? PrettyForm(Pretty{""}) : std::nullopt;
}

/// @mesh = <["x"=4]>
Writer::PrettyForm Writer::mesh_symbol(const Operation& op) {
  const auto* mesh = find_as<MeshAxes>(op.attributes, "mesh");
  const auto* name = find_as<std::string>(op.attributes, "sym_name");
  if (!mesh || !name) return std::nullopt;
  return Pretty{fmt::format(" {} = {}", symbol(*name), to_string(*mesh)), {"mesh", "sym_name"}};
}

/// %x <@mesh, [{"x"}, {}]> : T
Writer::PrettyForm Writer::sharding_constraint(const Operation& op) {
  const auto* sharding = find_as<ValueSharding>(op.attributes, "sharding");
  if (!sharding) return std::nullopt;
  return Pretty{fmt::format(" {} {}", operands(op), to_string(*sharding)), {"sharding"}};
}

/// (%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%p: T) {..} : (..) -> ..
bool Writer::manual_computation(const Operation& op) {
  const auto* in = find_as<ShardingPerValue>(op.attributes, "in_shardings");
  const auto* out = find_as<ShardingPerValue>(op.attributes, "out_shardings");
  const auto* manual = find_as<ManualAxes>(op.attributes, "manual_axes");
  if (!in || !out || !manual || op.regions.size() != 1) return false;
  const std::string head =
      fmt::format("sdy.manual_computation({}) in_shardings={} out_shardings={} manual_axes={}", operands(op),
                  to_string(*in), to_string(*out), to_string(*manual));
  const Block& body = op.regions[0];
  const std::string results = results_text(op);
  std::string arguments;
  for (std::size_t i = 0; i < body.arguments.size(); ++i) arguments += (i ? ", " : "") + argument(body, i);
  line(fmt::format("{}{} ({}) {{", results, head, arguments));
  lines_of(body);
  line(fmt::format("}}{} : {}{}", other_attributes(op, {"in_shardings", "out_shardings", "manual_axes"}),
                   functional_type(op), location(op.location)));
  return true;
}

}  // namespace tutti::stablehlo
