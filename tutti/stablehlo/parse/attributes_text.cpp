// SPDX-License-Identifier: Apache-2.0
// Attributes as MLIR writes them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tutti/stablehlo/parse/aliases_inl.hpp"

namespace tutti::stablehlo {
namespace {

bool is_float_name(std::string_view type) { return type[0] == 'f' || type == "bf16" || type == "tf32"; }

/// True for numbers from 2^63 to 2^64 - 1.
bool has_bit_63(std::string_view number) {
  const bool is_hex = number.starts_with("0x");
  std::uint64_t value = 0;
  const char* last = number.data() + number.size();
  const auto error = std::from_chars(number.data() + (is_hex ? 2 : 0), last, value, is_hex ? 16 : 10).ec;
  return error == std::errc() && value >> 63 != 0;
}

}  // namespace

/// An integer or a float; the text where these do not hold the number, or the text gives the bits of a float.
Attribute Parser::number() {
  const std::size_t begin = in_.peek().at;
  const bool is_negative = in_.takes("-");
  const std::string_view digits = in_.expect(TokenKind::number, "a number").text;
  const bool is_hex = digits.starts_with("0x");
  const bool is_whole = is_hex || digits.find('.') == std::string_view::npos;
  std::string type = is_whole ? "i64" : "f64";
  if (in_.takes(":")) type = element_type();
  const std::size_t behind = in_.behind_last();
  const auto as_it_stands = [&] {
    return Attribute{Verbatim{std::string(in_.text().substr(begin, behind - begin))}};
  };
  if (!is_whole) {
    double value = 0;
    const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
    if (error != std::errc()) return as_it_stands();
    return {Float{is_negative ? -value : value, std::move(type)}};
  }
  if (is_hex && is_float_name(type)) return as_it_stands();
  if (!is_negative && (type == "i64" || type == "ui64") && has_bit_63(digits)) return as_it_stands();
  in_.go_to(begin);
  const std::int64_t value = in_.integer("an integer");
  in_.go_to(behind);
  if (is_float_name(type)) return {Float{static_cast<double>(value), std::move(type)}};
  return {Integer{value, std::move(type)}};
}

Attribute Parser::list() {
  const Level level(*this);
  List items;
  in_.expect("[");
  if (in_.takes("]")) return {std::move(items)};
  do items.items.push_back(attribute());
  while (in_.takes(","));
  in_.expect("]");
  return {std::move(items)};
}

std::vector<std::int64_t> Parser::integers() {
  std::vector<std::int64_t> values;
  in_.expect("[");
  if (in_.takes("]")) return values;
  do values.push_back(in_.integer("an integer"));
  while (in_.takes(","));
  in_.expect("]");
  return values;
}

/// array<..>. Of floats, the text as it stands.
Attribute Parser::integer_array() {
  const std::size_t begin = in_.peek().at;
  IntegerArray array;
  in_.expect("array");
  in_.expect("<");
  array.type = element_type();
  if (is_float_name(array.type)) return verbatim(begin);
  if (in_.takes(":")) do {
      if (in_.takes("true")) array.values.push_back(1);
      else if (in_.takes("false")) array.values.push_back(0);
      else array.values.push_back(in_.integer("an integer"));
    } while (in_.takes(","));
  in_.expect(">");
  return {array};
}

Attribute Parser::attribute() {
  const Level level(*this);
  const Token first = in_.peek();
  switch (first.kind) {
    case TokenKind::string: {
      Attribute text{in_.quoted("a string")};
      if (in_.takes(":")) type();
      return text;
    }
    case TokenKind::number: return number();
    case TokenKind::symbol: {
      std::string name = in_.symbol("a symbol");
      while (in_.takes(":")) {  // @a::@b
        in_.expect(":");
        name += "::" + in_.symbol("a symbol");
      }
      return {Symbol{std::move(name)}};
    }
    case TokenKind::hash: return dialect_attribute();
    case TokenKind::mark:
      if (first.text == "-") return number();
      if (first.text == "[") return list();
      if (first.text == "{") return {Dictionary{dictionary()}};
      if (first.text == "@") return {Symbol{in_.symbol("a symbol")}};
      if (first.text == "!" || first.text == "(") return {TypeAttribute{type()}};
      break;
    case TokenKind::word:
      if (in_.takes("true")) return {true};
      if (in_.takes("false")) return {false};
      if (in_.takes("unit")) return {Unit{}};
      if (first.text == "dense") return dense();
      if (first.text == "array") return integer_array();
      if (first.text == "loc" || first.text == "affine_map" || first.text == "dense_resource") {
        in_.take();
        if (in_.takes("(")) {
          in_.go_to(first.at);
          in_.skip_location();
        } else {
          in_.expect("<");
          in_.text_to_bracket();
          if (in_.takes(":")) type();
        }
        return {Verbatim{std::string(in_.text().substr(first.at, in_.behind_last() - first.at))}};
      }
      return {TypeAttribute{type()}};
    default: break;
  }
  in_.refuse("an attribute");
}

Attribute Parser::verbatim(std::size_t begin) {
  in_.text_to_bracket();
  return {Verbatim{std::string(in_.text().substr(begin, in_.behind_last() - begin))}};
}

/// #name, #dialect<..>, #dialect.name<..>
Attribute Parser::dialect_attribute() {
  const Token name = in_.take();
  if (!in_.takes("<")) {
    if (alias_at_.contains(name.text)) return alias(name, attribute_aliases_, of_values_, &Parser::attribute);
    if (name.text.find('.') != std::string_view::npos) return {Verbatim{std::string(name.text)}};
    in_.refuse_at(name.at, fmt::format("{} is no attribute: nothing defines it", name.text));
  }
  if (name.text == "#stablehlo" || name.text == "#chlo") {
    const std::size_t inside = in_.peek().at;
    if (in_.sees(TokenKind::word)) {
      const Token kind = in_.take();
      if (in_.sees(TokenKind::word)) {
        const Token value = in_.take();
        if (in_.takes(">") && name.text == "#stablehlo")
          return {Enumeration{std::string(kind.text), std::string(value.text)}};
      }
    }
    in_.go_to(inside);
  }
  if (name.text.starts_with("#stablehlo.")) return stablehlo_attribute(name.text.substr(11), name.at);
  if (name.text.starts_with("#sdy")) return sdy_attribute(name.text, name.at);
  return verbatim(name.at);
}

/// A record "name = value, ..", or text without structure here.
Attribute Parser::stablehlo_attribute(std::string_view name, std::size_t begin) {
  const std::size_t inside = in_.peek().at;
  try {
    if (name == "axis_ref") return {axis_reference()};
    Record record{std::string(name), {}};
    while (!in_.takes(">")) {
      if (!record.fields.empty()) in_.expect(",");
      const Token field = in_.expect(TokenKind::word, "the name of a field");
      in_.expect("=");
      record.fields.push_back({std::string(field.text), record_field(), {field.at}});
    }
    return {std::move(record)};
  } catch (const Error&) {
    in_.go_to(inside);
    return verbatim(begin);
  }
}

/// name = "x", sub_axis_info = (2)4>: the bracket before it has been taken.
AxisPart Parser::axis_reference() {
  in_.expect("name");
  in_.expect("=");
  AxisPart part{in_.quoted("the name of an axis")};
  if (in_.takes(",")) {
    in_.expect("sub_axis_info");
    in_.expect("=");
    factor_of(part);
  }
  in_.expect(">");
  return part;
}

/// Bare integers, "[1, 2]" as an array of integers, and any other attribute.
Attribute Parser::record_field() {
  if (in_.sees("[")) {
    const std::size_t begin = in_.peek().at;
    in_.take();
    const bool has_integers = in_.sees("]") || in_.sees("-") || in_.sees(TokenKind::number);
    in_.go_to(begin);
    if (has_integers) return {IntegerArray{integers()}};
  }
  return attribute();
}

Attributes Parser::dictionary() {
  const Level level(*this);
  Attributes entries;
  in_.expect("{");
  if (in_.takes("}")) return entries;
  do {
    const Token key = in_.peek();
    std::string name = in_.sees(TokenKind::string)
                           ? in_.quoted("a name")
                           : std::string(in_.expect(TokenKind::word, "the name of an attribute").text);
    Attribute value{Unit{}};
    if (in_.takes("=")) value = attribute();
    if (find(entries, name)) in_.refuse_at(key.at, fmt::format("'{}' is given twice", name));
    entries.push_back({std::move(name), std::move(value), {key.at}});
  } while (in_.takes(","));
  in_.expect("}");
  return entries;
}

Attributes Parser::dictionary_if_there() {
  if (in_.sees("{")) return dictionary();
  return {};
}

void Parser::add_attributes(OperationText& text, Attributes attributes) {
  for (NamedAttribute& each : attributes) {
    if (find(text.op.attributes, each.name))
      in_.refuse_at(each.at.byte, fmt::format("'{}' is given twice", each.name));
    text.op.attributes.push_back(std::move(each));
  }
}

void Parser::add(OperationText& text, std::string_view name, Attribute value, std::size_t at) {
  text.op.attributes.push_back({std::string(name), std::move(value), {at}});
}

}  // namespace tutti::stablehlo
