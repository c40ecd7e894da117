// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/verify.hpp"

#include <algorithm>
#include <bit>
#include <cctype>

#include "tutti/base/require.hpp"
#include "tutti/kernels/ir/op_types.hpp"

namespace tutti::kernels {
namespace {

bool is_identifier(const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, is_word);
}

bool is_terminator(const Op& op) {
  return std::holds_alternative<Yield>(op.kind) || std::holds_alternative<Condition>(op.kind) ||
         std::holds_alternative<ReduceReturn>(op.kind) || std::holds_alternative<Return>(op.kind);
}

class Scopes {
 public:
  explicit Scopes(const Function& function)
      : function_(function), defined_(function.types.size()), visible_(function.types.size()) {}

  void define(Value value) {
    const std::size_t id = checked(value);
    ensure(!defined_[id], "{} is defined twice", value_name(function_, value));
    defined_[id] = visible_[id] = true;
  }

  void visit(const Region& region) {
    for (Value value : region.arguments) define(value);
    for (const Op& op : region.ops) {
      check(op);
      ensure(!is_terminator(op) || &op == &region.ops.back(), "{}: ops follow a terminator",
             label(function_, op));
      for (const Region& inner : op.regions) visit(inner);
      for (Value value : op.results) define(value);
    }
    for (Value value : region.arguments) visible_[checked(value)] = false;
    for (const Op& op : region.ops)
      for (Value value : op.results) visible_[checked(value)] = false;
  }

 private:
  std::size_t checked(Value value) const {
    type_of(function_, value);
    return static_cast<std::size_t>(value.id);
  }

  void check(const Op& op) const {
    for (Value value : op.operands)
      ensure(visible_[checked(value)], "{}: {} is not defined here", op_name(op.kind),
             value_name(function_, value));
    const auto expected = result_types(op.kind, types_of(function_, op.operands));
    const auto found = types_of(function_, op.results);
    ensure(found.size() == expected.size(), "{}: {} results, expected {}", label(function_, op), found.size(),
           expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ensure(found[i] == expected[i], "{}: the result is {}, expected {}", label(function_, op), found[i],
             expected[i]);
      const auto defect = dims_defect(found[i].dims);
      ensure(!defect, "{}: {}: {}", label(function_, op), found[i], defect.value_or(""));
    }
    check_regions(function_, op);
  }

  const Function& function_;
  std::vector<bool> defined_, visible_;
};

void check_signature(const Function& function) {
  ensure(is_identifier(function.name), "kernel '{}': the name is not an identifier", function.name);
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument& argument = function.arguments[i];
    ensure(is_identifier(argument.name), "kernel {}: argument '{}' is not an identifier", function.name,
           argument.name);
    const auto has_name = [&](const Argument& other) { return other.name == argument.name; };
    ensure(std::ranges::count_if(function.arguments, has_name) == 1, "kernel {}: two arguments are named {}",
           function.name, argument.name);
    ensure(!is_tensor(argument.type), "kernel {}: argument {} is a tensor", function.name, argument.name);
    ensure(type_of(function, Value{static_cast<int>(i)}) == argument.type,
           "kernel {}: argument {} is {}, but its value has another type", function.name, argument.name,
           argument.type);
    const int hint = argument.divisibility.value_or(1);
    ensure(hint > 0 && std::has_single_bit(static_cast<unsigned>(hint)),
           "kernel {}: argument {} is divisible by {}, which is not a power of two", function.name,
           argument.name, hint);
  }
}

}  // namespace

void verify(const Function& function) {
  check_signature(function);
  Scopes scopes(function);
  for (std::size_t i = 0; i < function.arguments.size(); ++i) scopes.define(Value{static_cast<int>(i)});
  ensure(function.body.arguments.empty(), "kernel {}: the body has arguments of its own", function.name);
  scopes.visit(function.body);
  ensure(!function.body.ops.empty() && std::holds_alternative<Return>(function.body.ops.back().kind),
         "kernel {}: tt.return is missing at the end", function.name);
  check_protocol(function);
  check_threads(function);
}

}  // namespace tutti::kernels
