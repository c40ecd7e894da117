// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/structure.hpp"

#include <fmt/format.h>

#include "tutti/base/counted.hpp"
#include "tutti/read/operation_rows.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_errors = 20;

class Check {
 public:
  explicit Check(const SourceModule& source) : source_(source) {}
  std::vector<Error> take() { return std::move(errors_); }

  void function(const stablehlo::Function& function) {
    if (function.is_declaration) return;
    const auto results = std::ssize(function.result_types);
    block(function.body, "@" + function.name, function.at, results);
  }

 private:
  void add(stablehlo::TextPosition at, std::string message) {
    if (errors_.size() < most_errors) errors_.push_back(source_.error_at(at, Code::text, std::move(message)));
  }

  /// A block of the function or operation `owner`. Without `returned` it may return any number of values.
  void block(const stablehlo::Block& block, const std::string& owner, stablehlo::TextPosition at,
             std::optional<std::ptrdiff_t> returned) {
    if (block.operations.empty() || !is_terminator(block.operations.back().name))
      return add(at, fmt::format("a block of {} ends without a return", owner));
    for (const stablehlo::Operation& op : block.operations) {
      if (!is_terminator(op.name)) {
        operation(op);
        continue;
      }
      if (&op != &block.operations.back())
        add(op.at, fmt::format("{} stands before the end of its block", op.name));
      if (returned && std::ssize(op.operands) != *returned)
        add(op.at,
            fmt::format("{} returns {}, but {} has {}", op.name, counted(std::ssize(op.operands), "value"),
                        owner, counted(*returned, "result")));
    }
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
    const bool gives_what_it_returns =
        op.name == "sdy.manual_computation" || op.name == "stablehlo.case" || op.name == "stablehlo.if";
    for (const stablehlo::Block& region : op.regions) {
      const auto operands = static_cast<int>(op.operands.size());
      const auto arguments = std::ssize(region.arguments);
      if (form.region_arguments && form.region_arguments(operands) != arguments)
        add(op.at,
            fmt::format("a region of {} with {} has {}; it takes {}", op.name, counted(operands, "operand"),
                        counted(arguments, "argument"), form.region_arguments(operands)));
      block(region, op.name, op.at,
            gives_what_it_returns ? std::optional(std::ssize(op.results)) : std::nullopt);
    }
  }

  const SourceModule& source_;
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
