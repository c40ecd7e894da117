// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/attribute_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti::stablehlo {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

/// One spelling per alternative of Attribute.
struct Speller {
  std::string operator()(Unit) const { return "unit"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const Integer& value) const {
    return fmt::format("{} : {}", value.value, value.type);
  }
  std::string operator()(const IntegerArray& array) const {
    if (array.values.empty()) return "array<i64>";
    return fmt::format("array<i64: {}>", fmt::join(array.values, ", "));
  }
  std::string operator()(const Dense& dense) const { return to_string(dense); }
  std::string operator()(const Enumeration& value) const {
    return fmt::format("#stablehlo<{} {}>", value.kind, value.value);
  }
  std::string operator()(const Verbatim& verbatim) const { return verbatim.text; }

  std::string operator()(const List& list) const {
    std::string text;
    for (const Attribute& item : list.items) text += (text.empty() ? "" : ", ") + to_string(item);
    return "[" + text + "]";
  }

  std::string operator()(const Dictionary& dictionary) const { return to_string(dictionary.entries); }

  std::string operator()(const Record& record) const {
    std::string text;
    for (const auto& [name, value] : record.fields)
      text += (text.empty() ? "" : ", ") + name + " = " + field(value);
    return "#stablehlo." + record.name + "<" + text + ">";
  }

  static std::string field(const Attribute& value) {
    if (const auto* integer = std::get_if<Integer>(&value.value)) return fmt::format("{}", integer->value);
    if (const auto* array = std::get_if<IntegerArray>(&value.value))
      return fmt::format("[{}]", fmt::join(array->values, ", "));
    return to_string(value);
  }
};

}  // namespace

std::string to_string(const Attribute& attribute) { return std::visit(Speller{}, attribute.value); }

std::string to_string(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) {
    text += (text.empty() ? "" : ", ") + name;
    if (!std::holds_alternative<Unit>(value.value)) text += " = " + to_string(value);
  }
  return "{" + text + "}";
}

std::string to_string(const TensorType& type) {
  std::string text = "tensor<";
  for (std::int64_t size : type.shape) text += fmt::format("{}x", size);
  return text + type.element + ">";
}

std::string to_string(const ValueType& type) {
  if (const auto* future = std::get_if<FutureType>(&type))
    return "!stablehlo.future<" + to_string(future->of) + ">";
  if (std::holds_alternative<TokenType>(type)) return "!stablehlo.token";
  return to_string(std::get<TensorType>(type));
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (is_printable(c) && c != '"' && c != '\\') result += c;
    else result += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return result + "\"";
}

std::string symbol(std::string_view name) {
  auto plain = [](char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.' || c == '-'; };
  bool bare = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), plain);
  return "@" + (bare ? std::string(name) : quoted(name));
}

}  // namespace tutti::stablehlo
