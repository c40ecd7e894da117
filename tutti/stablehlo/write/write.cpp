// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/write/write.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/write/writer.hpp"

namespace tutti::stablehlo {
namespace {

std::string with(const std::vector<Attributes>& attributes, std::size_t i) {
  return i < attributes.size() && !attributes[i].empty() ? " " + to_string(attributes[i]) : "";
}

}  // namespace

bool is_foreign(const NamedAttribute& attribute) { return attribute.name.find('.') != std::string::npos; }

std::string functional_type(const Operation& op) {
  return functional_type(op.operand_types, op.result_types);
}

std::string same_or_functional_type(const Operation& op) {
  const bool is_same =
      op.result_types.size() == 1 &&
      std::ranges::all_of(op.operand_types, [&](const ValueType& t) { return t == op.result_types[0]; });
  return is_same ? to_string(op.result_types[0]) : functional_type(op);
}

void Writer::module(const Module& module) {
  std::string head = "module";
  if (!module.name.empty()) head += " " + symbol(module.name);
  if (!module.attributes.empty()) head += " attributes " + to_string(module.attributes);
  line(head + " {");
  indented([&] {
    for (const Operation& op : module.symbols) operation(op);
    for (const Function& f : module.functions) function(f);
  });
  line("}");
}

void Writer::function(const Function& function) {
  names_.clear();
  results_ = arguments_ = 0;
  std::string arguments, results;
  for (std::size_t i = 0; i < function.body.argument_types.size(); ++i) {
    arguments += i ? ", " : "";
    arguments +=
        function.is_declaration ? to_string(function.body.argument_types[i]) : argument(function.body, i);
    arguments += with(function.argument_attributes, i);
    if (i < function.argument_locations.list.size())
      arguments += location(function.argument_locations.list[i]);
  }
  for (std::size_t i = 0; i < function.result_types.size(); ++i)
    results += (i ? ", " : "") + to_string(function.result_types[i]) + with(function.result_attributes, i);
  std::string head = fmt::format("func.func {} {}({})", function.is_public ? "public" : "private",
                                 symbol(function.name), arguments);
  if (!function.result_types.empty()) head += " -> (" + results + ")";
  if (!function.attributes.empty()) head += " attributes " + to_string(function.attributes);
  if (function.is_declaration) return line(head);
  line(head + " {");
  lines_of(function.body);
  line("}");
}

void Writer::operation(const Operation& op) {
  if (options_.form == TextForm::pretty && pretty(op)) return;
  generic(op);
}

void Writer::generic(const Operation& op) {
  // Before the results get names: they may not be operands.
  std::string head = quoted(op.name) + "(" + operands(op) + ")";
  Attributes own, foreign;
  for (const auto& attribute : op.attributes) (is_foreign(attribute) ? foreign : own).push_back(attribute);
  if (!own.empty()) head += " <" + to_string(own) + ">";
  std::string tail = foreign.empty() ? "" : " " + to_string(foreign);
  tail += " : " + functional_type(op) + location(op.location);
  head = results_text(op) + head;
  if (op.regions.empty()) return line(head + tail);
  line(head + " ({");
  for (std::size_t i = 0; i < op.regions.size(); ++i) {
    if (i) line("}, {");
    region(op.regions[i]);
  }
  line("})" + tail);
}

void Writer::region(const Block& block) {
  std::string arguments;
  for (std::size_t i = 0; i < block.arguments.size(); ++i) arguments += (i ? ", " : "") + argument(block, i);
  if (!arguments.empty()) line("^bb0(" + arguments + "):");
  lines_of(block);
}

void Writer::lines_of(const Block& block) {
  indented([&] {
    for (const Operation& op : block.operations) operation(op);
  });
}

std::string Writer::argument(const Block& block, std::size_t i) {
  std::string name = fmt::format("%arg{}", arguments_++);
  names_[block.arguments[i].id] = name;
  return name + ": " + to_string(block.argument_types[i]);
}

std::string Writer::location(const Location& place) const {
  return options_.locations && place.tree ? " loc(" + to_string(place) + ")" : "";
}

std::string Writer::name(const Operation& op, Value value) const {
  const auto found = names_.find(value.id);
  ensure(found != names_.end(), "{}: operand {} is used before it is defined", op.name, value.id);
  return found->second;
}

std::string Writer::operands(const Operation& op, std::size_t first, std::size_t behind) const {
  std::string text;
  for (std::size_t i = first; i < std::min(behind, op.operands.size()); ++i)
    text += (text.empty() ? "" : ", ") + name(op, op.operands[i]);
  return text;
}

std::string Writer::results_text(const Operation& op) {
  if (op.results.empty()) return {};
  std::string name = fmt::format("%{}", results_++);
  if (op.results.size() == 1) {
    names_[op.results[0].id] = name;
    return name + " = ";
  }
  for (std::size_t i = 0; i < op.results.size(); ++i)
    names_[op.results[i].id] = fmt::format("{}#{}", name, i);
  return fmt::format("{}:{} = ", name, op.results.size());
}

void Writer::line(const std::string& content) {
  text_ += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + content + "\n";
}

void Writer::indented(const std::function<void()>& write_lines) {
  ++depth_;
  write_lines();
  --depth_;
}

std::string write(const Module& module, const WriteOptions& options) {
  Writer writer(options);
  writer.module(module);
  return writer.take();
}

}  // namespace tutti::stablehlo
