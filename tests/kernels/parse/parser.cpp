// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/parse/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/error.hpp"
#include "tutti/kernels/ir/op_types.hpp"
#include "tutti/kernels/ir/text_parts.hpp"

namespace tutti::kernels {
namespace {

constexpr int most_regions = 64;  // nesting depth; bounds the stack
constexpr int most_results = 1 << 10;

}  // namespace

Parser::NameScope::~NameScope() {
  while (parser_.defined_.size() > mark_) {
    parser_.names_.erase(parser_.defined_.back());
    parser_.defined_.pop_back();
  }
}

Value Parser::made(const ValueType& type) {
  function_.types.push_back(type);
  return Value{static_cast<int>(function_.types.size()) - 1};
}

void Parser::define(std::string name, std::size_t at, Value value) {
  const auto [place, is_new] = names_.emplace(std::move(name), value);
  if (!is_new) in_.refuse_at(at, fmt::format("{} has a value already", place->first));
  defined_.push_back(place);
}

Value Parser::use() {
  const Token name = in_.expect(TokenKind::value, "a value, as in %0");
  std::string wanted(name.text);
  if (in_.sees(TokenKind::hash)) wanted += in_.take().text;
  auto found = names_.find(wanted);
  if (found == names_.end()) found = names_.find(wanted + "#0");
  if (found == names_.end()) in_.refuse_at(name.at, fmt::format("{} has no value here", wanted));
  return found->second;
}

std::vector<Value> Parser::uses() {
  std::vector<Value> values;
  do values.push_back(use());
  while (in_.takes(","));
  return values;
}

std::vector<Parser::ResultNames> Parser::result_names() {
  std::vector<ResultNames> names;
  if (!in_.sees(TokenKind::value)) return names;
  do {
    const Token name = in_.expect(TokenKind::value, "the name of a result");
    ResultNames& last = names.emplace_back(ResultNames{std::string(name.text), name.at, 1});
    if (!in_.takes(":")) continue;
    const std::int64_t count = in_.integer("the number of results");
    if (count < 1 || count > most_results) in_.refuse_at(name.at, "the number of results is out of range");
    last.count = static_cast<int>(count);
  } while (in_.takes(","));
  in_.expect("=");
  return names;
}

void Parser::define_results(const std::vector<ResultNames>& names, const OpText& text, const Op& op) {
  std::size_t count = 0;
  for (const ResultNames& name : names) count += static_cast<std::size_t>(name.count);
  if (names.empty()) return;
  if (count != op.results.size())
    in_.refuse_at(names.front().at,
                  fmt::format("{} has {} results, but {} names", text.name, op.results.size(), count));
  auto value = op.results.begin();
  for (const ResultNames& name : names) {
    if (name.count == 1) define(name.name, name.at, *value++);
    else
      for (int i = 0; i < name.count; ++i) define(fmt::format("{}#{}", name.name, i), name.at, *value++);
  }
}

Op Parser::op() {
  const std::vector<ResultNames> names = result_names();
  if (!in_.sees(TokenKind::string) && !in_.sees(TokenKind::word)) in_.refuse("an op, as in tt.load");
  OpText text = in_.sees(TokenKind::string) ? generic_op() : triton_op();
  Op op = checked(text);
  in_.skip_location();
  define_results(names, text, op);
  return op;
}

void Parser::require_types(const OpText& text) const {
  for (std::size_t i = 0; i < text.operand_types.size(); ++i) {
    if (i >= text.operands.size())
      in_.refuse_at(text.at, fmt::format("{}: {} types of {} operands", text.name, text.operand_types.size(),
                                         text.operands.size()));
    const ValueType& found = type_of(function_, text.operands[i]);
    if (found != text.operand_types[i])
      in_.refuse_at(text.at, fmt::format("{}: operand {} is {}, but the text says {}", text.name, i,
                                         to_string(found), to_string(text.operand_types[i])));
  }
}

Op Parser::checked(OpText text) {
  require_types(text);
  Op op{kind_of(in_, text), std::move(text.operands), {}, std::move(text.regions)};
  require_empty(in_, text.attributes, text.name);
  try {
    const std::vector<ValueType> types = result_types(op.kind, types_of(function_, op.operands));
    if (text.states_results && text.result_types != types)
      in_.refuse_at(text.at, fmt::format("{}: the results are ({}), but the text says ({})", text.name,
                                         joined_types(types), joined_types(text.result_types)));
    for (const ValueType& type : types) op.results.push_back(made(type));
    check_regions(function_, op);
  } catch (const Error& error) {
    if (error.where().known()) throw;
    in_.refuse_at(text.at, error.message());
  }
  return op;
}

std::vector<Token> Parser::block_header(Region& region) {
  std::vector<Token> names;
  if (!in_.sees(TokenKind::block)) return names;
  in_.take();
  if (in_.takes("(") && !in_.takes(")")) {
    do {
      names.push_back(in_.expect(TokenKind::value, "an argument of the block"));
      in_.expect(":");
      region.arguments.push_back(made(read_type(in_)));
      in_.skip_location();
      define(names.back(), region.arguments.back());
    } while (in_.takes(","));
    in_.expect(")");
  }
  in_.expect(":");
  return names;
}

void Parser::ops_to_end(Region& region) {
  while (!in_.takes("}")) {
    if (in_.sees(TokenKind::block)) in_.refuse("an op or '}': a region of kernels is one block");
    if (in_.sees(TokenKind::end)) in_.refuse("an op or '}'");
    region.ops.push_back(op());
  }
}

void Parser::block(Region& region) {
  const NameScope names(*this);
  if (++depth_ > most_regions) in_.refuse("fewer regions one in the other");
  in_.expect("{");
  if (region.arguments.empty()) block_header(region);
  ops_to_end(region);
  --depth_;
}

}  // namespace tutti::kernels
