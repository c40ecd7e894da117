// SPDX-License-Identifier: Apache-2.0
// Types and attributes of MLIR's text, as far as kernels have them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/parse/lexer.hpp"

namespace tutti::kernels {

struct NamedAttribute;

/// A dictionary whose entries are taken out as they are understood; what remains is refused.
struct Attributes {
  std::vector<NamedAttribute> all;
};

struct FunctionType {
  std::vector<ValueType> arguments, results;
};

/// monostate: only a name. A Constant is a number with its type, in every element of a tensor. Integers: array<i32: ..>.
struct Attribute {
  std::variant<std::monostate, bool, std::string, Constant, std::vector<std::int64_t>,
               std::vector<Attributes>, FunctionType, Cache>
      value;
};

struct NamedAttribute {
  std::string name;
  std::size_t at = 0;  // of the name
  Attribute attribute;
};

std::optional<Scalar> scalar_named(std::string_view name);
bool begins_type(const Lexer& in);
ValueType read_type(Lexer& in);
/// "i32, i1", at least one.
std::vector<ValueType> read_types(Lexer& in);
/// "(i32, i1)", "()".
std::vector<ValueType> read_types_in_brackets(Lexer& in);
/// What stands behind "->": one type, or types in brackets.
std::vector<ValueType> read_result_types(Lexer& in);

Attribute read_attribute(Lexer& in);
/// "{a = 1 : i32, b}"; names that are in `into` already are refused.
void read_dictionary(Lexer& in, Attributes& into);

/// The value of the attribute of that name, which is taken out; none if there is no such attribute.
/// Refuses an attribute of another type.
template <class T>
std::optional<T> taken(const Lexer& in, Attributes& attributes, std::string_view name);

/// Refuses what has not been taken.
void require_empty(const Lexer& in, const Attributes& attributes, std::string_view owner);

// --- Of the template ------------------------------------------------------------------------------------------------

std::optional<NamedAttribute> extracted(Attributes& attributes, std::string_view name);
[[noreturn]] void refuse_attribute(const Lexer& in, const NamedAttribute& attribute);

template <class T>
std::optional<T> taken(const Lexer& in, Attributes& attributes, std::string_view name) {
  auto found = extracted(attributes, name);
  if (!found) return std::nullopt;
  if (T* value = std::get_if<T>(&found->attribute.value)) return std::move(*value);
  refuse_attribute(in, *found);
}

}  // namespace tutti::kernels
