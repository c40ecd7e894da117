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

template <class Items, class F>
std::string listed(const Items& items, F text_of) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += text_of(item);
  }
  return text;
}

std::string axis_text(const AxisPart& axis) {
  if (axis.size == 0) return quoted(axis.name);
  return fmt::format("{}:({}){}", quoted(axis.name), axis.before, axis.size);
}

std::string braced(const std::vector<AxisPart>& axes) { return "{" + listed(axes, axis_text) + "}"; }

std::string dim_text(const DimSharding& dim) {
  std::string text = "{" + listed(dim.axes, axis_text);
  if (dim.is_open) text += dim.axes.empty() ? "?" : ", ?";
  text += "}";
  return dim.priority < 0 ? text : text + fmt::format("p{}", dim.priority);
}

/// One spelling per alternative of Attribute.
struct Speller {
  std::string operator()(Unit) const { return "unit"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const Integer& value) const {
    return fmt::format("{} : {}", value.value, value.type);
  }
  std::string operator()(const Float& value) const {
    std::string text = fmt::format("{}", value.value);
    if (text.find_first_of(".n") == text.npos) text.insert(std::min(text.find('e'), text.size()), ".0");
    return text + " : " + value.type;
  }
  std::string operator()(const IntegerArray& array) const {
    if (array.values.empty()) return fmt::format("array<{}>", array.type);
    if (array.type != "i1") return fmt::format("array<{}: {}>", array.type, fmt::join(array.values, ", "));
    return "array<i1: " + listed(array.values, [](std::int64_t value) { return value ? "true" : "false"; }) +
           ">";
  }
  std::string operator()(const Symbol& value) const { return symbol(value.name); }
  std::string operator()(const TypeAttribute& value) const { return to_string(value.type); }
  std::string operator()(const Dense& dense) const { return to_string(dense); }
  std::string operator()(const Enumeration& value) const {
    return fmt::format("#stablehlo<{} {}>", value.kind, value.value);
  }
  std::string operator()(const Verbatim& verbatim) const { return verbatim.text; }
  std::string operator()(const AxisPart& part) const {
    const std::string factor =
        part.size == 0 ? "" : fmt::format(", sub_axis_info = ({}){}", part.before, part.size);
    return fmt::format("#stablehlo.axis_ref<name = {}{}>", quoted(part.name), factor);
  }
  std::string operator()(const MeshAxes& mesh) const { return "#sdy.mesh" + to_string(mesh); }
  std::string operator()(const ValueSharding& sharding) const {
    return "#sdy.sharding" + to_string(sharding);
  }
  std::string operator()(const ShardingPerValue& all) const {
    return "#sdy.sharding_per_value<" + to_string(all) + ">";
  }
  std::string operator()(const ManualAxes& axes) const { return "#sdy<manual_axes" + to_string(axes) + ">"; }

  std::string operator()(const List& list) const {
    return "[" + listed(list.items, [](const Attribute& item) { return to_string(item); }) + "]";
  }

  std::string operator()(const Dictionary& dictionary) const { return to_string(dictionary.entries); }

  std::string operator()(const Record& record) const {
    const auto field_text = [](const NamedAttribute& each) { return each.name + " = " + field(each.value); };
    const std::string text = listed(record.fields, field_text);
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
  for (const NamedAttribute& each : attributes) {
    text += (text.empty() ? "" : ", ") + each.name;
    if (!std::holds_alternative<Unit>(each.value.value)) text += " = " + to_string(each.value);
  }
  return "{" + text + "}";
}

std::string to_string(const TensorType& type) {
  std::string text = "tensor<";
  for (std::int64_t size : type.shape) text += size < 0 ? "?x" : fmt::format("{}x", size);
  text += type.element;
  if (!type.encoding.empty()) text += ", " + type.encoding;
  return text + ">";
}

std::string to_string(const MeshAxes& mesh) {
  const auto axis = [](const auto& each) { return fmt::format("{}={}", quoted(each.first), each.second); };
  std::string text = "<[" + listed(mesh.axes, axis) + "]";
  if (!mesh.device_ids.empty()) text += fmt::format(", device_ids=[{}]", fmt::join(mesh.device_ids, ", "));
  return text + ">";
}

std::string to_string(const ValueSharding& sharding) {
  std::string text =
      sharding.mesh.empty() ? "<mesh" + to_string(sharding.own_mesh) : "<" + symbol(sharding.mesh);
  text += ", [" + listed(sharding.dims, dim_text) + "]";
  if (!sharding.replicated.empty()) text += ", replicated=" + braced(sharding.replicated);
  if (!sharding.unreduced.empty())
    text += ", unreduced=" + sharding.unreduced_by + braced(sharding.unreduced);
  return text + ">";
}

std::string to_string(const ShardingPerValue& all) {
  return "[" + listed(all.values, [](const ValueSharding& each) { return to_string(each); }) + "]";
}

std::string to_string(const ManualAxes& axes) { return "{" + listed(axes.names, quoted) + "}"; }

std::string to_string(const ValueType& type) {
  if (const auto* other = std::get_if<OtherType>(&type)) return other->text;
  if (const auto* future = std::get_if<FutureType>(&type))
    return "!stablehlo.future<" + to_string(future->of) + ">";
  if (std::holds_alternative<TokenType>(type)) return "!stablehlo.token";
  return to_string(std::get<TensorType>(type));
}

std::string listed_types(const std::vector<ValueType>& types) {
  std::string text;
  for (const ValueType& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

std::string functional_type(const std::vector<ValueType>& operands, const std::vector<ValueType>& results) {
  const std::string text = listed_types(results);
  const bool is_bare = results.size() == 1 && !text.starts_with('(');
  return "(" + listed_types(operands) + ") -> " + (is_bare ? text : "(" + text + ")");
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
