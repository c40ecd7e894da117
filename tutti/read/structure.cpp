// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/structure.hpp"

#include <fmt/format.h>

#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_errors = 20;

class Check {
 public:
  explicit Check(const SourceModule& source) : source_(source) {}
  std::vector<Error> take() { return std::move(errors_); }

  void function(const stablehlo::Function& function) {
    if (!names_.insert(function.name).second)
      add(function.at, fmt::format("there are two functions @{}", function.name));
    if (function.is_declaration) return;
    const std::string owner = "@" + function.name;
    block(function.body, owner, function.at, std::ssize(function.result_types));
    if (!function.body.operations.empty())
      types(function.body.operations.back(), function.body.operations.back().operand_types,
            function.result_types, "result", owner);
  }

 private:
  void add(stablehlo::TextPosition at, std::string message) {
    if (errors_.size() < most_errors) errors_.push_back(source_.error_at(at, Code::text, std::move(message)));
  }

  /// A block of the function or operation `owner`. Without `returned` it may return any number of values.
  void block(const stablehlo::Block& block, const std::string& owner, stablehlo::TextPosition at,
             std::optional<std::ptrdiff_t> returned) {
    if (block.operations.empty() || !is_terminator(block.operations.back().name))
      return add(at, fmt::format("{}{} ends without a return", owner[0] == '@' ? "a block of " : "", owner));
    for (const stablehlo::Operation& op : block.operations) {
      if (!is_terminator(op.name)) {
        operation(op);
        continue;
      }
      if (&op != &block.operations.back())
        add(op.at, fmt::format("{} stands before the end of its block", op.name));
      if (returned && std::ssize(op.operands) != *returned)
        add(op.at,
            fmt::format("{} returns {}, but {} {}", op.name, counted(std::ssize(op.operands), "value"), owner,
                        owner[0] == '@' ? "has " + counted(*returned, "result")
                                        : fmt::format("returns {}", *returned)));
    }
  }

  /// `found` are those of `op`, `wanted` those of `owner`; other numbers are an error of their own.
  void types(const stablehlo::Operation& op, const std::vector<stablehlo::ValueType>& found,
             const std::vector<stablehlo::ValueType>& wanted, std::string_view what, std::string_view owner) {
    for (std::size_t i = 0; i < found.size() && found.size() == wanted.size(); ++i)
      if (found[i] != wanted[i])
        return add(op.at, fmt::format("{} has {}, but {} {} of {} is {}", op.name, to_string(found[i]), what,
                                      i, owner, to_string(wanted[i])));
  }

  void call(const stablehlo::Operation& op) {
    for (const char* attribute : {"callee", "decomposition"}) {
      const stablehlo::Function* called = source_.called(op, attribute);
      if (!called) continue;
      const std::string owner = "@" + called->name;
      types(op, op.operand_types, called->body.argument_types, "argument", owner);
      types(op, op.result_types, called->result_types, "result", owner);
      if (!called->is_declaration && op.results.size() != called->result_types.size())
        add(op.at, fmt::format("{} has {}, but {} has {}", op.name, counted(std::ssize(op.results), "result"),
                               owner, called->result_types.size()));
    }
  }

  /// How many values a region returns; none: it is not looked at.
  static std::optional<std::ptrdiff_t> returned_by(const stablehlo::Operation& op, std::size_t region) {
    if (op.name == "stablehlo.while" && region == 0) return 1;
    for (const char* name : {"stablehlo.sort", "stablehlo.all_reduce", "stablehlo.reduce_scatter",
                             "stablehlo.select_and_scatter"})
      if (op.name == name) return 1;
    for (const char* name :
         {"stablehlo.while", "stablehlo.case", "stablehlo.if", "sdy.manual_computation",
          "stablehlo.async_start", "stablehlo.reduce", "stablehlo.reduce_window", "stablehlo.scatter"})
      if (op.name == name) return std::ssize(op.results);
    return std::nullopt;
  }

  void operation(const stablehlo::Operation& op) {
    if (const auto wrong = error_of_operands(op.name, op.operands.size()))
      return add(op.at, fmt::format("{} {}", op.name, *wrong));
    const OperationRow* row = row_of(op.name);
    const OperationForm form = row ? row->form : forms::unknown;
    if (form.regions >= 0 && std::ssize(op.regions) != form.regions)
      return add(op.at, fmt::format("{} has {}; it takes {}", op.name,
                                    counted(std::ssize(op.regions), "region"), form.regions));
    if (row && row->read && form.regions != 0 && op.regions.empty())
      return add(op.at, fmt::format("{} has no regions", op.name));
    if (std::ssize(op.results) < form.least_results)
      return add(op.at, fmt::format("{} has no result", op.name));
    call(op);
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      const stablehlo::Block& region = op.regions[i];
      const auto operands = static_cast<int>(op.operands.size());
      const auto arguments = std::ssize(region.arguments);
      if (form.region_arguments && form.region_arguments(operands) != arguments)
        add(op.at,
            fmt::format("a region of {} with {} has {}; it takes {}", op.name, counted(operands, "operand"),
                        counted(arguments, "argument"), form.region_arguments(operands)));
      block(region, "a region of " + op.name, op.at, returned_by(op, i));
      if (region.operations.empty()) continue;
      const stablehlo::Operation& last = region.operations.back();
      if (op.name == "stablehlo.while")
        types(op, op.operand_types, region.argument_types, "argument", "a region");
      const bool gives_results = op.name == "stablehlo.case" || op.name == "stablehlo.if" ||
                                 (op.name == "stablehlo.while" && i == 1);
      if (gives_results) types(last, last.operand_types, op.result_types, "result", op.name);
    }
  }

  const SourceModule& source_;
  std::set<std::string_view> names_;  // of functions
  std::vector<Error> errors_;
};

}  // namespace

bool is_terminator(std::string_view name) {
  return name == "stablehlo.return" || name == "func.return" || name == "sdy.return";
}

std::optional<std::string> error_of_operands(std::string_view name, std::size_t operands) {
  const OperationRow* row = row_of(name);
  const OperationForm form = row ? row->form : forms::unknown;
  const auto count = static_cast<int>(operands);
  if (count >= form.least_operands && (form.most_operands < 0 || count <= form.most_operands)) return {};
  const bool is_exact = form.most_operands == form.least_operands;
  return fmt::format("has {}; it takes {}{}", counted(count, "operand"), is_exact ? "" : "at least ",
                     form.least_operands);
}

std::vector<Error> errors_of_structure(const SourceModule& source) {
  Check check(source);
  for (const stablehlo::Function& function : source.module().functions) check.function(function);
  return check.take();
}

}  // namespace tutti
