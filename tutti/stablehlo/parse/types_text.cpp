// SPDX-License-Identifier: Apache-2.0
// Types as MLIR writes them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/parse/aliases_inl.hpp"

namespace tutti::stablehlo {
namespace {

constexpr std::array<std::string_view, 32> element_names = {
    "i1",     "i2",     "i4",     "i8",         "i16",        "i32",           "i64",       "si4",
    "si8",    "si16",   "si32",   "si64",       "ui2",        "ui4",           "ui8",       "ui16",
    "ui32",   "ui64",   "f16",    "bf16",       "f32",        "f64",           "tf32",      "f8E4M3FN",
    "f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E8M0FNU", "index"};

bool is_element(std::string_view name) {
  return std::ranges::find(element_names, name) != element_names.end() || name == "f4E2M1FN" ||
         name == "f6E2M3FN" || name == "f6E3M2FN" || name == "none";
}

}  // namespace

std::string Parser::element_type() {
  const Level level(*this);
  if (in_.sees("!")) {  // !quant.uniform<..>
    const std::size_t begin = in_.peek().at;
    in_.take();
    in_.expect(TokenKind::word, "the name of a type");
    if (in_.takes("<")) in_.text_to_bracket();
    return std::string(in_.text().substr(begin, in_.behind_last() - begin));
  }
  const Token name = in_.expect(TokenKind::word, "the type of an element, as in f32");
  if (name.text == "complex") {
    in_.expect("<");
    const std::string part = element_type();
    in_.expect(">");
    return "complex<" + part + ">";
  }
  if (!is_element(name.text)) in_.refuse_at(name.at, fmt::format("'{}' is no type of elements", name.text));
  return std::string(name.text);
}

TensorType Parser::tensor_type() {
  in_.expect("tensor");
  if (!in_.sees("<")) in_.refuse("'<'");
  TensorType type;
  const std::size_t at = in_.peek().at;
  type.shape = in_.dims_behind_bracket();
  std::int64_t elements = 1;
  for (const std::int64_t size : type.shape)
    if (size > 0 && __builtin_mul_overflow(elements, size, &elements))
      in_.refuse_at(at, "a tensor of more elements than 64 bits count");
  type.element = element_type();
  if (in_.takes(",")) {
    type.encoding = in_.text_to_bracket();
    return type;
  }
  in_.expect(">");
  return type;
}

ValueType Parser::type() {
  const Level level(*this);
  if (in_.sees("tensor")) return tensor_type();
  const std::size_t begin = in_.peek().at;
  const auto rest = [&] {
    return OtherType{std::string(in_.text().substr(begin, in_.behind_last() - begin))};
  };
  if (in_.takes("!")) {
    const Token name = in_.expect(TokenKind::word, "the name of a type, as in !stablehlo.token");
    if (name.text == "stablehlo.token") return TokenType{};
    if (name.text == "stablehlo.future") {
      in_.expect("<");
      TensorType of = tensor_type();
      in_.expect(">");
      return FutureType{std::move(of)};
    }
    const Token whole{TokenKind::word, in_.text().substr(begin, in_.behind_last() - begin), begin};
    if (alias_at_.contains(whole.text)) return alias(whole, type_aliases_, of_values_, &Parser::type);
    if (in_.takes("<")) in_.text_to_bracket();
    return rest();
  }
  if (in_.sees("(")) {
    const std::vector<ValueType> operands = types_in_parentheses();
    in_.expect("->");
    return OtherType{stablehlo::functional_type(operands, result_types())};
  }
  const Token name = in_.expect(TokenKind::word, "a type, as in tensor<8xf32>");
  if (name.text == "tuple" || name.text == "memref" || name.text == "vector") {
    in_.expect("<");
    in_.text_to_bracket();
    return rest();
  }
  if (!is_element(name.text) && name.text != "complex")
    in_.refuse_at(name.at, fmt::format("'{}' is no type; expected one, as in tensor<8xf32>", name.text));
  if (in_.takes("<")) in_.text_to_bracket();
  return rest();
}

std::vector<ValueType> Parser::types() {
  std::vector<ValueType> all;
  do all.push_back(type());
  while (in_.takes(","));
  return all;
}

std::vector<ValueType> Parser::types_in_parentheses() {
  in_.expect("(");
  if (in_.takes(")")) return {};
  std::vector<ValueType> all = types();
  in_.expect(")");
  return all;
}

std::vector<ValueType> Parser::result_types() {
  if (in_.sees("(")) return types_in_parentheses();
  return {type()};
}

void Parser::functional_type(OperationText& text) {
  text.op.operand_types = types_in_parentheses();
  in_.expect("->");
  text.op.result_types = result_types();
}

void Parser::same_or_functional_type(OperationText& text) {
  in_.expect(":");
  if (in_.sees("(")) return functional_type(text);
  const ValueType only = type();
  text.op.operand_types.assign(text.op.operands.size(), only);
  text.op.result_types = {only};
}

}  // namespace tutti::stablehlo
