// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/parse/attribute.hpp"

namespace tutti::kernels {
namespace {

constexpr std::string_view a_scalar = "one of i1, i8, i16, i32, i64, f16, bf16, f32, f64";

Scalar read_scalar(Lexer& in) {
  const auto scalar = in.sees(TokenKind::word) ? scalar_named(in.peek().text) : std::nullopt;
  if (!scalar) in.refuse(a_scalar);
  in.take();
  return *scalar;
}

/// A scalar, or a pointer to one.
ValueType read_element(Lexer& in) {
  if (!in.takes("!")) return value_of(read_scalar(in));
  in.expect("tt.ptr");
  in.expect("<");
  const Scalar pointee = read_scalar(in);
  in.expect(">");
  return pointer_to(pointee);
}

}  // namespace

std::optional<Scalar> scalar_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Scalar::f64); ++i)
    if (to_string(static_cast<Scalar>(i)) == name) return static_cast<Scalar>(i);
  return std::nullopt;
}

bool begins_type(const Lexer& in) {
  return in.sees("!") || in.sees("tensor") ||
         (in.sees(TokenKind::word) && scalar_named(in.peek().text).has_value());
}

ValueType read_type(Lexer& in) {
  if (!in.sees("tensor")) {
    if (!begins_type(in)) in.refuse("a type: !tt.ptr<..>, tensor<..>, or " + std::string(a_scalar));
    return read_element(in);
  }
  in.take();
  if (!in.sees("<")) in.refuse("'<'");
  const std::size_t at = in.peek().at + 1;
  Dims dims = in.dims_behind_bracket();
  if (const auto defect = dims_defect(dims)) in.refuse_at(at, "no kernel has this tensor: " + *defect);
  if (dims.empty()) in.refuse("the dims of a tensor, as in tensor<8xi32>");
  const ValueType element = read_element(in);
  in.expect(">");
  return with_dims(element, std::move(dims));
}

std::vector<ValueType> read_types(Lexer& in) {
  std::vector<ValueType> types;
  do types.push_back(read_type(in));
  while (in.takes(","));
  return types;
}

std::vector<ValueType> read_types_in_brackets(Lexer& in) {
  in.expect("(");
  std::vector<ValueType> types;
  if (!in.sees(")")) types = read_types(in);
  in.expect(")");
  return types;
}

std::vector<ValueType> read_result_types(Lexer& in) {
  if (in.sees("(")) return read_types_in_brackets(in);
  return {read_type(in)};
}

}  // namespace tutti::kernels
