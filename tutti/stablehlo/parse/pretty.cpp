// SPDX-License-Identifier: Apache-2.0
// The pretty forms of most operations.
#include <fmt/format.h>

#include <algorithm>

#include "tutti/stablehlo/parse/forms.hpp"

namespace tutti::stablehlo {

void Parser::pretty(OperationText& text, const Token& name) {
  text.op.at = {name.at};
  text.op.name = name.text;
  form_ = form_of(name.text);
  if (form_ && form_->read) {
    if (!form_->detail.empty() && form_->detail.find('.') != std::string_view::npos)
      text.op.name = form_->detail;
    return (this->*form_->read)(text);
  }
  if (name.text.starts_with("chlo.")) return arrow_typed(text);
  require_known(name.text, name.at);
  in_.refuse_at(name.at, fmt::format("no pretty form of '{0}' is known; write the generic form, \"{0}\"(..)",
                                     name.text));
}

/// Reads "%a, %b" and a comma behind them. Returns true if there was one. MLIR prints a second comma if a
/// dynamic_slice has no indices.
bool Parser::operands_and_comma(OperationText& text) {
  use(text);
  while (in_.takes(",")) {
    if (in_.takes(",") || !in_.sees(TokenKind::value)) return true;
    use(text);
  }
  return false;
}

/// Reads "word = [1, 2]" as an attribute of the operation.
void Parser::integers_named(OperationText& text, std::string_view word, std::string_view attribute) {
  const std::size_t at = in_.peek().at;
  in_.expect(word);
  in_.expect("=");
  add(text, attribute, {IntegerArray{integers()}}, at);
}

void Parser::elementwise(OperationText& text) {
  uses(text);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// %a, %b : tensor<2xcomplex<f32>>, where the operands are tensor<2xf32>
void Parser::complex(OperationText& text) {
  uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  if (in_.sees("(")) return functional_type(text);
  const std::size_t at = in_.peek().at;
  const ValueType result = type();
  const auto* whole = std::get_if<TensorType>(&result);
  if (!whole || !whole->element.starts_with("complex<"))
    in_.refuse_at(at, "the result of stablehlo.complex is complex, as in tensor<8xcomplex<f32>>");
  TensorType part = *whole;
  part.element = whole->element.substr(8, whole->element.size() - 9);
  text.op.operand_types.assign(text.op.operands.size(), part);
  text.op.result_types = {result};
}

/// %p, %a, %b : P, T
void Parser::select(OperationText& text) {
  uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  if (in_.sees("(")) return functional_type(text);
  const std::vector<ValueType> two = types();
  if (two.size() > 2) in_.refuse("the types of the predicate and of the others");
  text.op.operand_types = {two.front(), two.back(), two.back()};
  text.op.result_types = {two.back()};
}

/// LT, %a, %b, FLOAT : (T, T) -> B
void Parser::compare(OperationText& text) {
  const Token direction = in_.expect(TokenKind::word, "EQ, NE, LT, LE, GT or GE");
  add(text, "comparison_direction", enumeration("comparison_direction", std::string(direction.text)),
      direction.at);
  in_.expect(",");
  if (operands_and_comma(text)) {
    const Token kind = in_.expect(TokenKind::word, "FLOAT, TOTALORDER, SIGNED or UNSIGNED");
    add(text, "compare_type", enumeration("comparison_type", std::string(kind.text)), kind.at);
  }
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

void Parser::constant(OperationText& text) {
  add_attributes(text, dictionary_if_there());
  const std::size_t at = in_.peek().at;
  Attribute value = attribute();
  // The type of dense<..> is that of the result.
  const std::size_t behind = in_.behind_last();
  const auto* dense = std::get_if<Dense>(&value.value);
  if (dense) {
    text.op.result_types = {dense->type};
  } else {
    const std::size_t colon = in_.text().substr(at, behind - at).rfind(" : ");
    if (colon == std::string_view::npos)
      in_.refuse_at(at, "the value of a constant is dense<..> : tensor<..>");
    const std::size_t next = in_.peek().at;
    in_.go_to(at + colon + 3);
    text.op.result_types = {type()};
    in_.go_to(next);
  }
  add(text, "value", std::move(value), at);
}

/// dim = 0 : T
void Parser::iota(OperationText& text) {
  const std::size_t at = in_.peek().at;
  in_.expect("dim");
  in_.expect("=");
  add(text, "iota_dimension", integer(in_.integer("a dim")), at);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  text.op.result_types = {type()};
}

/// %x, dims = [0, 1] : ..
void Parser::with_dims(OperationText& text) {
  if (!operands_and_comma(text)) in_.refuse("', dims = [..]'");
  integers_named(text, "dims", form_->detail);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// %a, %b, dim = 1 : ..
void Parser::with_dim(OperationText& text) {
  if (!operands_and_comma(text)) in_.refuse("', dim = ..'");
  const std::size_t at = in_.peek().at;
  in_.expect("dim");
  in_.expect("=");
  add(text, form_->detail, integer(in_.integer("a dim")), at);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// %x [1:3, 4:8:2] : (T) -> U
void Parser::slice(OperationText& text) {
  use(text);
  const std::size_t at = in_.peek().at;
  IntegerArray starts, limits, strides;
  in_.expect("[");
  if (!in_.takes("]")) {
    do {
      starts.values.push_back(in_.integer("the first index"));
      in_.expect(":");
      limits.values.push_back(in_.integer("the index behind the last one"));
      strides.values.push_back(in_.takes(":") ? in_.integer("a stride") : 1);
    } while (in_.takes(","));
    in_.expect("]");
  }
  add(text, "start_indices", {starts}, at);
  add(text, "limit_indices", {limits}, at);
  add(text, "strides", {strides}, at);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// %x, %i, %j, sizes = [1, 4] : ..
void Parser::with_sizes(OperationText& text) {
  if (!operands_and_comma(text)) in_.refuse("', sizes = [..]'");
  integers_named(text, "sizes", form_->detail);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// %x, %v, low = [..], high = [..], interior = [..] : ..
void Parser::pad(OperationText& text) {
  if (!operands_and_comma(text)) in_.refuse("', low = [..]'");
  integers_named(text, "low", "edge_padding_low");
  in_.expect(",");
  integers_named(text, "high", "edge_padding_high");
  in_.expect(",");
  integers_named(text, "interior", "interior_padding");
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// ", precision = [DEFAULT, DEFAULT]", behind the comma
void Parser::precision(OperationText& text) {
  const std::size_t at = in_.peek().at;
  in_.expect("precision");
  in_.expect("=");
  in_.expect("[");
  List all;
  do
    all.items.push_back(
        enumeration("precision", std::string(in_.expect(TokenKind::word, "a precision").text)));
  while (in_.takes(","));
  in_.expect("]");
  add(text, "precision_config", {std::move(all)}, at);
}

/// %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [..], algorithm = <..> : ..
void Parser::dot_general(OperationText& text) {
  Attributes fields;
  const std::size_t at = in_.peek().at;
  const auto pair = [&](const std::string& kind) {
    in_.expect("=");
    for (const char* side : {"lhs", "rhs"}) {
      std::vector<std::int64_t> dims = integers();
      if (!dims.empty())
        fields.push_back({fmt::format("{}_{}_dimensions", side, kind), {IntegerArray{std::move(dims)}}});
      if (side[0] == 'l') in_.expect("x");
    }
  };
  if (operands_and_comma(text)) do {
      if (in_.takes("batching_dims")) pair("batching");
      else if (in_.takes("contracting_dims")) pair("contracting");
      else if (in_.sees("precision")) precision(text);
      else {
        const std::size_t begin = in_.peek().at;
        in_.expect("algorithm");
        in_.expect("=");
        in_.expect("<");
        add(text, "algorithm", stablehlo_attribute("dot_algorithm", begin), begin);
      }
    } while (in_.takes(","));
  const auto order = [](const NamedAttribute& field) {
    return (field.name.find("batching") == std::string::npos ? 2 : 0) + (field.name[0] == 'r' ? 1 : 0);
  };
  std::ranges::sort(fields, {}, order);
  text.op.attributes.insert(text.op.attributes.begin(),
                            {"dot_dimension_numbers", record("dot", std::move(fields)), {at}});
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

void Parser::dot(OperationText& text) {
  if (operands_and_comma(text)) precision(text);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// %x : T -> U; %a, %b : T, U -> V
void Parser::arrow_typed(OperationText& text) {
  uses(text);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  if (in_.sees("(")) return functional_type(text);
  text.op.operand_types = types();
  if (in_.takes("->")) text.op.result_types = result_types();
  else text.op.result_types = {text.op.operand_types.front()};
}

/// (%x, k = 3, is_stable = true) : T -> (U, V)
void Parser::top_k(OperationText& text) {
  in_.expect("(");
  if (operands_and_comma(text)) do {
      const Token key = in_.expect(TokenKind::word, "k = ..");
      in_.expect("=");
      add(text, key.text, attribute(), key.at);
    } while (in_.takes(","));
  in_.expect(")");
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  text.op.operand_types = types();
  in_.expect("->");
  text.op.result_types = result_types();
}

}  // namespace tutti::stablehlo
