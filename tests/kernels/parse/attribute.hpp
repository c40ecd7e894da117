// SPDX-License-Identifier: Apache-2.0
// Reads the types and attributes of MLIR's text that kernels use.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/kernels/parse/kernel_text.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

struct NamedAttribute;

/// A dictionary of attributes. taken() removes the entries that an op has; require_empty() refuses the rest.
struct Attributes {
  std::vector<NamedAttribute> all;
};

struct FunctionType {
  std::vector<ValueType> arguments, results;
};

/// The value of an attribute. monostate: the attribute is only a name. Constant: a number and its type; a
/// tensor has it in every element. Vector of integers: array<i32: ..>.
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
/// Reads one or more types: "i32, i1".
std::vector<ValueType> read_types(Lexer& in);
/// Reads zero or more types in brackets: "(i32, i1)", "()".
std::vector<ValueType> read_types_in_brackets(Lexer& in);
/// Reads the types after "->": one type, or types in brackets.
std::vector<ValueType> read_result_types(Lexer& in);

Attribute read_attribute(Lexer& in);
/// Reads a dictionary, "{a = 1 : i32, b}", into `into`. Refuses names that `into` already has.
void read_dictionary(Lexer& in, Attributes& into);

/// Removes the named attribute and returns its value; nullopt if there is no such attribute.
/// Refuses an attribute whose value is not a T.
template <class T>
std::optional<T> taken(const Lexer& in, Attributes& attributes, std::string_view name);

/// Refuses the attributes that were not taken.
void require_empty(const Lexer& in, const Attributes& attributes, std::string_view owner);

// --- Implementation of taken() -----------------------------------------------------------------------------

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
