// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/parse/attribute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/kernels/parse/number.hpp"

namespace tutti::kernels {
namespace {

/// Reads "dense<0> : tensor<8xi32>" after the word.
Constant read_dense(Lexer& in) {
  in.expect("<");
  if (in.sees("[") || in.sees(TokenKind::string)) in.refuse("one number, the same in every element");
  const NumberText number = read_number(in);
  in.expect(">");
  in.expect(":");
  const std::size_t at = in.peek().at;
  ValueType type = read_type(in);
  if (!is_tensor(type)) in.refuse_at(at, "a dense value is a tensor");
  return {type, value_in(in, number, type)};
}

/// Reads "-3 : i32". Without a type, integers are i64 and other numbers f64, as in MLIR.
Constant read_scalar_constant(Lexer& in) {
  const NumberText number = read_number(in);
  const ValueType type =
      in.takes(":") ? read_type(in) : value_of(number.is_decimal() ? Scalar::f64 : Scalar::i64);
  return {type, value_in(in, number, type)};
}

/// Reads "array<i32: 1, 0>" after the word.
std::vector<std::int64_t> read_integers(Lexer& in) {
  std::vector<std::int64_t> integers;
  in.expect("<");
  in.expect("i32");
  if (in.takes(":")) {
    do integers.push_back(in.integer("an integer"));
    while (in.takes(","));
  }
  in.expect(">");
  return integers;
}

/// Reads "<cache_modifier = cg, eviction_policy = evict_normal>".
Cache read_cache(Lexer& in) {
  in.expect("<");
  in.expect("cache_modifier");
  in.expect("=");
  std::optional<Cache> cache;
  for (int i = static_cast<int>(Cache::none); i <= static_cast<int>(Cache::cv); ++i)
    if (in.sees(to_string(static_cast<Cache>(i)))) cache = static_cast<Cache>(i);
  if (!cache) in.refuse("one of none, ca, cg, wb, cs, wt, cv");
  in.take();
  in.expect(",");
  in.expect("eviction_policy");
  in.expect("=");
  in.expect("evict_normal");  // ptxas rejects other policies together with some modifiers
  in.expect(">");
  return *cache;
}

/// Reads "[{..}, {..}]" after the bracket.
std::vector<Attributes> read_dictionaries(Lexer& in) {
  std::vector<Attributes> all;
  while (!in.takes("]")) {
    if (!all.empty()) in.expect(",");
    if (!in.sees("{")) in.refuse("the attributes of an argument, as in {tt.divisibility = 16 : i32}");
    read_dictionary(in, all.emplace_back());
  }
  return all;
}

}  // namespace

Attribute read_attribute(Lexer& in) {
  if (in.sees(TokenKind::string)) return {in.quoted("a string")};
  if (in.sees("true") || in.sees("false")) return {in.take().text == "true"};
  if (in.sees("-") || in.sees(TokenKind::number)) return {read_scalar_constant(in)};
  if (in.takes("dense")) return {read_dense(in)};
  if (in.takes("array")) return {read_integers(in)};
  if (in.takes("[")) return {read_dictionaries(in)};
  if (in.sees("(")) {
    FunctionType type;
    type.arguments = read_types_in_brackets(in);
    in.expect("->");
    type.results = read_result_types(in);
    return {type};
  }
  if (in.sees(TokenKind::hash) && in.peek().text == "#tt.cache_policy") {
    in.take();
    return {read_cache(in)};
  }
  in.refuse("the value of an attribute");
}

void read_dictionary(Lexer& in, Attributes& into) {
  in.expect("{");
  if (in.takes("}")) return;
  do {
    const std::size_t at = in.peek().at;
    if (!in.sees(TokenKind::word) && !in.sees(TokenKind::string)) in.refuse("the name of an attribute");
    std::string name = in.sees(TokenKind::string) ? in.quoted("a name") : std::string(in.take().text);
    const auto has_name = [&](const NamedAttribute& other) { return other.name == name; };
    if (std::ranges::any_of(into.all, has_name))
      in.refuse_at(at, fmt::format("the attribute '{}' is here twice", name));
    Attribute value;
    if (in.takes("=")) value = read_attribute(in);
    into.all.push_back({std::move(name), at, std::move(value)});
  } while (in.takes(","));
  if (!in.takes("}")) in.refuse("',' or '}'");
}

void require_empty(const Lexer& in, const Attributes& attributes, std::string_view owner) {
  if (attributes.all.empty()) return;
  const NamedAttribute& first = attributes.all.front();
  in.refuse_at(first.at,
               fmt::format("{}: kernels have no attribute '{}' here; leave it out", owner, first.name));
}

std::optional<NamedAttribute> extracted(Attributes& attributes, std::string_view name) {
  const auto has_name = [&](const NamedAttribute& attribute) { return attribute.name == name; };
  const auto found = std::ranges::find_if(attributes.all, has_name);
  if (found == attributes.all.end()) return std::nullopt;
  NamedAttribute attribute = std::move(*found);
  attributes.all.erase(found);
  return attribute;
}

void refuse_attribute(const Lexer& in, const NamedAttribute& attribute) {
  in.refuse_at(attribute.at, fmt::format("the attribute '{}' has a value of another kind", attribute.name));
}

}  // namespace tutti::kernels
