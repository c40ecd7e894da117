// SPDX-License-Identifier: Apache-2.0
// Pretty forms of operations with regions, of calls, and of the rarer ones.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/parse/forms.hpp"

namespace tutti::stablehlo {
namespace {

ValueType scalar_of(const ValueType& type) {
  const auto* tensor = std::get_if<TensorType>(&type);
  return tensor ? ValueType(TensorType{{}, tensor->element}) : type;
}

/// e5m10: bits of the exponent, bits of the mantissa.
std::optional<std::pair<std::int64_t, std::int64_t>> bits_of_format(std::string_view word) {
  const char *at = word.data(), *end = at + word.size();
  const auto takes = [&](char letter, std::int64_t& bits) {
    if (at == end || *at != letter) return false;
    const auto [rest, error] = std::from_chars(at + 1, end, bits);
    at = rest;
    return error == std::errc();
  };
  std::int64_t exponent = 0, mantissa = 0;
  if (!takes('e', exponent) || !takes('m', mantissa) || at != end) return std::nullopt;
  return std::pair(exponent, mantissa);
}

}  // namespace

/// (%x init: %i) applies stablehlo.add across dimensions = [1] : (T, S) -> U
/// (%a init: %i), (%b init: %j) across dimensions = [0] : (..) -> (..) reducer(%p: T, %q: T) (..) {..}
void Parser::reduce(OperationText& text) {
  OperationText inits;
  do {
    in_.expect("(");
    use(text);
    in_.expect("init");
    in_.expect(":");
    use(inits);
    in_.expect(")");
  } while (in_.takes(","));
  for (std::size_t i = 0; i < inits.op.operands.size(); ++i) {
    text.op.operands.push_back(inits.op.operands[i]);
    text.op.operands_at.list.push_back(inits.op.operands_at.list[i]);
    text.operand_names.push_back(inits.operand_names[i]);
  }
  Token applied;
  if (in_.takes("applies")) applied = in_.expect(TokenKind::word, "an operation, as in stablehlo.add");
  in_.expect("across");
  integers_named(text, "dimensions", "dimensions");
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
  require_counts(text);
  if (applied.text.empty()) reducer_written(text);
  else reducer_named(text, applied);
}

/// The region of "applies stablehlo.add".
void Parser::reducer_named(OperationText& text, const Token& name) {
  require_known(name.text, name.at);
  if (text.op.operands.size() != 2) in_.refuse_at(name.at, "'applies' is for one operand and its init");
  Block& body = text.op.regions.emplace_back();
  const ValueType scalar =
      scalar_of(text.op.result_types.empty() ? text.op.operand_types[1] : text.op.result_types[0]);
  body.argument_types = {scalar, scalar};
  body.arguments = {made(scalar), made(scalar)};
  Operation op;
  op.name = name.text;
  op.at = {name.at};
  op.operands = body.arguments;
  op.operand_types = body.argument_types;
  op.results = {made(scalar)};
  op.result_types = {scalar};
  Operation end;
  end.name = "stablehlo.return";
  end.at = {name.at};
  end.operands = op.results;
  end.operand_types = op.result_types;
  body.operations = {std::move(op), std::move(end)};
}

/// reducer(%p: T, %q: T) (%r: U, %s: U) {..}: the block takes p, r, .., then q, s, ..
void Parser::reducer_written(OperationText& text) {
  in_.expect("reducer");
  std::vector<Token> names, accumulated;
  std::vector<ValueType> types, of_accumulated;
  while (in_.takes("(")) {
    names.push_back(in_.expect(TokenKind::value, "an argument of the reducer"));
    in_.expect(":");
    types.push_back(type());
    location_if_there();
    in_.expect(",");
    accumulated.push_back(in_.expect(TokenKind::value, "an argument of the reducer"));
    in_.expect(":");
    of_accumulated.push_back(type());
    location_if_there();
    in_.expect(")");
  }
  names.insert(names.end(), accumulated.begin(), accumulated.end());
  types.insert(types.end(), of_accumulated.begin(), of_accumulated.end());
  Block& body = text.op.regions.emplace_back();
  body.argument_types = std::move(types);
  region_body(body, names);
}

/// (%i = %a, %j = %b) : T, U attributes {..} cond {..} do {..}
void Parser::while_loop(OperationText& text) {
  std::vector<Token> names;
  in_.expect("(");
  if (!in_.takes(")")) {
    do {
      names.push_back(in_.expect(TokenKind::value, "a carry of the loop"));
      in_.expect("=");
      use(text);
    } while (in_.takes(","));
    in_.expect(")");
  }
  if (in_.takes(":")) text.op.operand_types = types();
  require_counts(text);
  text.op.result_types = text.op.operand_types;
  if (in_.takes("attributes")) add_attributes(text, dictionary());
  for (const char* word : {"cond", "do"}) {
    in_.expect(word);
    Block& block = text.op.regions.emplace_back();
    block.argument_types = text.op.operand_types;
    region_body(block, names);
  }
}

/// %a, %b : T, U
void Parser::returned(OperationText& text) {
  if (!in_.sees(TokenKind::value)) return;
  uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  text.op.operand_types = types();
}

/// @f(%x) {..} : (T) -> U
void Parser::call(OperationText& text) {
  const std::size_t at = in_.peek().at;
  add(text, "callee", {Symbol{in_.symbol("the name of a function, as in @f")}}, at);
  uses_in_parentheses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

/// @target(%x) {..} : (T) -> U
void Parser::custom_call(OperationText& text) {
  const std::size_t at = in_.peek().at;
  add(text, "call_target_name", {in_.symbol("the target of the call, as in @target")}, at);
  uses_in_parentheses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

/// "chlo.erf" %x {decomposition = @chlo.erf.impl} : (T) -> U
void Parser::composite(OperationText& text) {
  const std::size_t at = in_.peek().at;
  add(text, "name", {in_.quoted("the name of the composite")}, at);
  if (in_.sees(TokenKind::value)) uses(text);
  if (in_.takes("(")) {
    do region(text.op.regions.emplace_back(), false);
    while (in_.takes(","));
    in_.expect(")");
  }
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

/// %a, %b : T, U, or ()
void Parser::barrier(OperationText& text) {
  if (in_.takes("(")) return in_.expect(")");
  uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  text.op.operand_types = text.op.result_types = types();
}

void Parser::without_operands(OperationText& text) {
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  text.op.result_types = {type()};
}

void Parser::after_all(OperationText& text) {
  if (in_.sees(TokenKind::value)) uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  const ValueType token = type();
  text.op.operand_types.assign(text.op.operands.size(), token);
  text.op.result_types = {token};
}

void Parser::tuple(OperationText& text) {
  if (in_.sees(TokenKind::value)) uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  for (const Value operand : text.op.operands)
    text.op.operand_types.push_back(types_[static_cast<std::size_t>(operand.id)]);
  text.op.result_types = {type()};
}

/// %t[0] : (tuple<..>) -> T
void Parser::element_of_tuple(OperationText& text) {
  use(text);
  const std::size_t at = in_.peek().at;
  in_.expect("[");
  add(text, "index", {Integer{in_.integer("the number of an element"), "i32"}}, at);
  in_.expect("]");
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

/// %x, lower = true : T; %x, type = FFT, length = [16] : T; %x, format = e5m10 : T; and the like
void Parser::with_words(OperationText& text) {
  if (operands_and_comma(text)) do {
      const Token key = in_.expect(TokenKind::word, "the name of an attribute");
      in_.expect("=");
      if (in_.sees(TokenKind::word) && !in_.sees("true") && !in_.sees("false")) word_of(text, key);
      else if (key.text == "length") add(text, "fft_length", record_field(), key.at);
      else add(text, key.text, record_field(), key.at);
    } while (in_.takes(","));
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// The word behind "type =", "distribution =", "algorithm =" or "format =", as the attributes of the generic
/// form.
void Parser::word_of(OperationText& text, const Token& key) {
  const Token word = in_.take();
  if (key.text == "type")
    return add(text, "fft_type", enumeration("fft_type", std::string(word.text)), key.at);
  if (key.text == "distribution" || key.text == "algorithm") {
    const std::string name = fmt::format("rng_{}", key.text);
    return add(text, name, enumeration(name, std::string(word.text)), key.at);
  }
  const auto bits = bits_of_format(word.text);
  if (key.text != "format" || !bits)
    in_.refuse_at(word.at, fmt::format("expected a value of '{}', as in format = e5m10", key.text));
  add(text, "exponent_bits", {Integer{bits->first, "i32"}}, key.at);
  add(text, "mantissa_bits", {Integer{bits->second, "i32"}}, key.at);
}

/// {stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [..], rhs_dilate = [..], reverse = [false, true]}
void Parser::window(OperationText& text) {
  in_.expect("{");
  if (in_.takes("}")) return;
  do {
    const Token key = in_.expect(TokenKind::word, "stride, pad, lhs_dilate, rhs_dilate or reverse");
    in_.expect("=");
    if (key.text == "pad") {
      std::vector<std::int64_t> all;
      in_.expect("[");
      while (!in_.takes("]")) {
        for (const std::int64_t each : integers()) all.push_back(each);
        if (!in_.sees("]")) in_.expect(",");
      }
      const auto rows = static_cast<std::int64_t>(all.size() / 2);
      if (all.size() % 2 != 0) in_.refuse_at(key.at, "pad has two numbers for each dim: [[0, 0], [1, 1]]");
      add(text, "padding", dense_i64({rows, 2}, all), key.at);
    } else if (key.text == "reverse") {
      IntegerArray reversed{{}, "i1"};
      in_.expect("[");
      while (!in_.takes("]")) {
        const bool is_true = in_.takes("true");
        if (!is_true) in_.expect("false");
        reversed.values.push_back(is_true ? 1 : 0);
        if (!in_.sees("]")) in_.expect(",");
      }
      add(text, "window_reversal", {std::move(reversed)}, key.at);
    } else if (key.text == "stride") {
      add(text, "window_strides", {IntegerArray{integers()}}, key.at);
    } else if (key.text == "lhs_dilate" || key.text == "rhs_dilate") {
      add(text, fmt::format("{}dilation", key.text.substr(0, 4)), {IntegerArray{integers()}}, key.at);
    } else {
      in_.refuse_at(key.at, "expected stride, pad, lhs_dilate, rhs_dilate or reverse");
    }
  } while (in_.takes(","));
  in_.expect("}");
}

/// (%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], ..} {..} : (..) -> ..
void Parser::convolution(OperationText& text) {
  uses_in_parentheses(text);
  const std::size_t at = in_.peek().at;
  in_.expect("dim_numbers");
  in_.expect("=");
  const std::size_t begin = in_.peek().at;
  for (int lists = 0; lists < 3;) {
    if (in_.sees(TokenKind::end)) in_.refuse("the dims of a convolution: [b, 0, f]x[0, i, o]->[b, 0, f]");
    lists += in_.take().text == "]" ? 1 : 0;
  }
  const std::string_view dims = in_.text().substr(begin, in_.behind_last() - begin);
  add(text, "dimension_numbers", {Verbatim{fmt::format("#stablehlo.conv<{}>", dims)}}, at);
  in_.expect(",");
  in_.expect("window");
  in_.expect("=");
  window(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

}  // namespace tutti::stablehlo
