// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/write.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "tutti/base/require.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti::stablehlo {
namespace {

template <class Items, class F>
std::string listed(const Items& items, F text_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return text;
}

std::string types_text(const std::vector<ValueType>& types) {
  return "(" + listed(types, [](const ValueType& type) { return to_string(type); }) + ")";
}

/// MLIR's discardable attributes belong to another dialect and say so before the dot; an op's own have no
/// dot.
bool is_foreign(const NamedAttribute& attribute) { return attribute.name.find('.') != std::string::npos; }

class Writer {
 public:
  explicit Writer(const WriteOptions& options) : options_(options) {}
  std::string take() { return std::move(text_); }

  void module(const Module& module) {
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

 private:
  void function(const Function& function) {
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
    indented([&] {
      for (const Operation& op : function.body.operations) operation(op);
    });
    line("}");
  }

  void operation(const Operation& op) {
    std::string head = operands_text(op);  // before the results get names: they may not be operands
    Attributes own, foreign;
    for (const auto& attribute : op.attributes) (is_foreign(attribute) ? foreign : own).push_back(attribute);
    if (!own.empty()) head += " <" + to_string(own) + ">";
    std::string tail = foreign.empty() ? "" : " " + to_string(foreign);
    tail += " : " + types_text(op.operand_types) + " -> ";
    tail += op.result_types.size() == 1 ? to_string(op.result_types[0]) : types_text(op.result_types);
    tail += location(op.location);
    head = results_text(op) + head;
    if (op.regions.empty()) return line(head + tail);
    line(head + " ({");
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      if (i) line("}, {");
      region(op.regions[i]);
    }
    line("})" + tail);
  }

  void region(const Block& block) {
    std::string arguments;
    for (std::size_t i = 0; i < block.arguments.size(); ++i)
      arguments += (i ? ", " : "") + argument(block, i);
    if (!arguments.empty()) line("^bb0(" + arguments + "):");
    indented([&] {
      for (const Operation& op : block.operations) operation(op);
    });
  }

  std::string argument(const Block& block, std::size_t i) {
    std::string name = fmt::format("%arg{}", arguments_++);
    names_[block.arguments[i].id] = name;
    return name + ": " + to_string(block.argument_types[i]);
  }

  std::string with(const std::vector<Attributes>& attributes, std::size_t i) const {
    return i < attributes.size() && !attributes[i].empty() ? " " + to_string(attributes[i]) : "";
  }

  std::string location(const Location& place) const {
    return options_.locations && place.tree ? " loc(" + to_string(place) + ")" : "";
  }

  std::string operands_text(const Operation& op) const {
    auto name = [&](Value value) {
      auto found = names_.find(value.id);
      ensure(found != names_.end(), "{}: operand {} is used before it is defined", op.name, value.id);
      return found->second;
    };
    return quoted(op.name) + "(" + listed(op.operands, name) + ")";
  }

  std::string results_text(const Operation& op) {
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

  void line(const std::string& content) {
    text_ += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + content + "\n";
  }

  void indented(const std::function<void()>& write_lines) {
    ++depth_;
    write_lines();
    --depth_;
  }

  WriteOptions options_;
  std::string text_;
  std::map<int, std::string> names_;  // of the values of this function
  int results_ = 0, arguments_ = 0, depth_ = 0;
};

}  // namespace

std::string write(const Module& module, const WriteOptions& options) {
  Writer writer(options);
  writer.module(module);
  return writer.take();
}

}  // namespace tutti::stablehlo
