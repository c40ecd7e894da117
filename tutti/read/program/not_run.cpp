// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/read/structure.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

/// Regions of these are looked at as a whole, not operation by operation.
bool has_scalar_region(std::string_view name) {
  return name == "stablehlo.reduce" || name == "stablehlo.reduce_window" || name == "stablehlo.scatter" ||
         name == "stablehlo.select_and_scatter" || name == "stablehlo.sort" ||
         name == "stablehlo.all_reduce" || name == "stablehlo.reduce_scatter";
}

/// None: a type that is known here.
std::optional<Refusal> refusal_of_type(const stablehlo::ValueType& type) {
  const auto* future = std::get_if<stablehlo::FutureType>(&type);
  const auto* tensor = future ? &future->of : std::get_if<stablehlo::TensorType>(&type);
  if (!tensor) return Refusal{"values of " + to_string(type), "programs of arrays alone are run"};
  if (!dtype_of_elements(*tensor))
    return Refusal{"elements of " + tensor->element, "convert to a type that is run"};
  if (std::ranges::any_of(tensor->shape, [](std::int64_t size) { return size < 0; }))
    return Refusal{"dims of unknown size", "export with fixed shapes"};
  return std::nullopt;
}

class Search {
 public:
  explicit Search(const SourceModule& source) : source_(source) {}
  std::vector<NotRun> take() { return std::move(found_); }

  /// Looks at the function, and at those that it calls.
  void look_at(const stablehlo::Function& first) {
    waiting_.push_back(&first);
    while (!waiting_.empty()) {
      const stablehlo::Function& next = *waiting_.back();
      waiting_.pop_back();
      if (seen_.insert(next.name).second) function(next);
    }
  }

 private:
  void function(const stablehlo::Function& function) {
    for (const stablehlo::ValueType& type : function.body.argument_types)
      if (const auto why = refusal_of_type(type)) add("", *why, function.at);
    block(function.body);
  }

  void add(const std::string& name, const Refusal& why, stablehlo::TextPosition at) {
    const std::string what = name.empty() || why.what.empty() ? name + why.what : name + ": " + why.what;
    auto known = std::ranges::find(found_, what, &NotRun::what);
    if (known == found_.end()) {
      found_.push_back({what, 0, at, why.instead});
      known = found_.end() - 1;
    }
    ++known->count;
  }

  void block(const stablehlo::Block& block) {
    for (const stablehlo::Operation& op : block.operations)
      if (!is_terminator(op.name)) operation(op);
  }

  void operation(const stablehlo::Operation& op) {
    const OperationRow* row = row_of(op.name);
    if (!row) return add(op.name, {"", "use operations of StableHLO and chlo"}, op.at);
    const auto why = row->refusal ? row->refusal(source_, op) : std::nullopt;
    if (why) return add(op.name, *why, op.at);
    for (const stablehlo::ValueType& type : op.result_types)
      if (const auto refusal = refusal_of_type(type)) return add("", *refusal, op.at);
    for (const char* callee : {"callee", "decomposition"}) {
      const stablehlo::Function* called = source_.called(op, callee);
      const auto* composite_name = find_as<std::string>(op.attributes, "name");
      if (composite_name && composite_name->starts_with("chlo.") && row_of(*composite_name)) continue;
      if (called && !called->is_declaration) waiting_.push_back(called);
    }
    if (has_scalar_region(op.name)) return;
    for (const stablehlo::Block& region : op.regions) block(region);
  }

  const SourceModule& source_;
  std::set<std::string> seen_;
  std::vector<const stablehlo::Function*> waiting_;  // to be looked at
  std::vector<NotRun> found_;
};

}  // namespace

std::vector<NotRun> internal::operations_not_run(const SourceModule& source,
                                                 const stablehlo::Function& function) {
  Search search(source);
  search.look_at(function);
  return search.take();
}

void internal::require_all_run(const SourceModule& source, const stablehlo::Function& function) {
  const std::vector<NotRun> all = operations_not_run(source, function);
  if (all.empty()) return;
  std::vector<std::string> table;
  for (const NotRun& each : all)
    table.push_back(fmt::format("{}, {}, first at {}; instead: {}", each.what, counted(each.count, "time"),
                                to_string(source.place(each.first)), each.instead));
  throw Error(Code::unsupported, source.place(all[0].first),
              fmt::format("{} of this program {} not run here",
                          counted(std::ssize(all), "kind of operation", "kinds of operations"),
                          all.size() == 1 ? "is" : "are"),
              std::move(table));
}

}  // namespace tutti
