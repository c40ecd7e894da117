// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/parse/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/similar_names.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti::stablehlo {
namespace {

constexpr int most_levels = 200;
constexpr std::size_t most_errors = 20;
constexpr std::int64_t most_results = 1 << 16;

/// Regions of these operations see no values of outside.
bool is_isolated(std::string_view name) {
  return name == "func.func" || name == "sdy.manual_computation" || name == "sdy.named_computation" ||
         name == "builtin.module";
}

/// Thrown where no more errors are wanted: there are many, or the text has ended.
struct EnoughErrors {};

}  // namespace

Parser::Parser(std::string_view text, const char* name) : in_({text, name, Code::text}) {}

Parser::Level::Level(Parser& parser) : parser_(parser) {
  if (parser_.depth_ == most_levels)
    parser_.in_.refuse_at(parser_.in_.peek().at,
                          fmt::format("more than {} regions, lists or types one in the other", most_levels));
  ++parser_.depth_;
}

Parser::NameScope::~NameScope() {
  for (; parser_.defined_.size() > mark_; parser_.defined_.pop_back())
    parser_.names_.erase(parser_.defined_.back());
}

void Parser::read() try {
  find_aliases();
  module_head();
} catch (const Error& error) {
  errors_.push_back(error);
} catch (const EnoughErrors&) {
  return;  // errors_ has those that were found
}

void Parser::report(const Error& error) {
  errors_.push_back(error);
  if (errors_.size() >= most_errors || in_.sees(TokenKind::end)) throw EnoughErrors();
}

/// Goes on behind the statement that begins at `begin`: at the end of a line where all its brackets are
/// closed, or at the bracket that closes what it stands in.
void Parser::skip_statement(std::size_t begin) {
  in_.go_to(begin);
  int open = 0;
  while (!in_.sees(TokenKind::end)) {
    if (in_.sees("(") || in_.sees("{") || in_.sees("[")) ++open;
    if (in_.sees(")") || in_.sees("}") || in_.sees("]")) {
      if (open == 0) return;
      --open;
    }
    in_.take();
    const std::string_view between = in_.text().substr(in_.behind_last(), in_.peek().at - in_.behind_last());
    if (open == 0 && between.find('\n') != std::string_view::npos) return;
  }
}

Value Parser::made(const ValueType& type) {
  types_.push_back(type);
  is_broken_.push_back(false);
  return Value{static_cast<int>(types_.size()) - 1};
}

void Parser::define(const Token& name, Values values) {
  if (!names_.emplace(name.text, values).second)
    in_.refuse_at(name.at,
                  fmt::format("{} has a value already; give each value a name of its own", name.text));
  defined_.push_back(name.text);
}

void Parser::define_argument(const Token& name, const ValueType& type, Block& block) {
  block.arguments.push_back(made(type));
  block.argument_types.push_back(type);
  define(name, {block.arguments.back()});
}

std::vector<Parser::ResultNames> Parser::result_names() {
  std::vector<ResultNames> names;
  if (!in_.sees(TokenKind::value)) return names;
  do {
    ResultNames& last = names.emplace_back(ResultNames{in_.expect(TokenKind::value, "the name of a result")});
    if (!in_.takes(":")) continue;
    const std::int64_t count = in_.integer("the number of results");
    if (count < 1 || count > most_results)
      in_.refuse_at(last.name.at, fmt::format("{} results; an operation has 1 to {}", count, most_results));
    last.count = static_cast<int>(count);
  } while (in_.takes(","));
  in_.expect("=");
  return names;
}

std::vector<Value> Parser::define_results(const std::vector<ResultNames>& names, const OperationText& text) {
  std::size_t count = 0;
  for (const ResultNames& each : names) count += static_cast<std::size_t>(each.count);
  const std::vector<ValueType>& types = text.op.result_types;
  if (!names.empty() && count != types.size())
    in_.refuse_at(names.front().name.at,
                  fmt::format("{} has {}, but {}", text.op.name, counted(std::ssize(types), "result"),
                              counted(static_cast<std::int64_t>(count), "name")));
  std::vector<Value> results;
  for (const ValueType& type : types) results.push_back(made(type));
  std::size_t next = 0;
  for (const ResultNames& each : names) {
    define(each.name, {results[next], each.count});
    next += static_cast<std::size_t>(each.count);
  }
  return results;
}

void Parser::refuse_name(const Token& name) const {
  std::vector<std::string> known;
  for (const auto& [other, values] : names_) known.emplace_back(other.substr(1));
  std::ranges::sort(known);
  // A name of one letter resembles all other names of one letter.
  const bool can_be_guessed = name.text.size() > 2;
  const std::vector<std::string> similar =
      can_be_guessed ? similar_names(name.text.substr(1), known) : std::vector<std::string>{};
  in_.refuse_at(name.at, fmt::format("{} is not defined here{}", name.text,
                                     similar.empty() ? "" : fmt::format("; is it %{}?", similar[0])));
}

void Parser::use(OperationText& text) {
  const Token name = in_.expect(TokenKind::value, "a value, as in %0");
  std::int64_t number = 0;
  if (in_.sees(TokenKind::hash) && in_.peek().at == name.at + name.text.size()) {
    const Token hash = in_.take();
    number = -1;
    for (const char c : hash.text.substr(1)) {
      if (c < '0' || c > '9' || number > most_results) break;
      number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
    }
  }
  const auto found = names_.find(name.text);
  if (found == names_.end()) refuse_name(name);
  const Values& values = found->second;
  if (number < 0 || number >= values.count)
    in_.refuse_at(name.at, fmt::format("{} has {}, so there is no #{}", name.text,
                                       counted(values.count, "result"), number));
  text.op.operands.push_back(Value{values.first.id + static_cast<int>(number)});
  text.op.operands_at.list.push_back({name.at});
  text.operand_names.push_back(name);
}

void Parser::uses(OperationText& text) {
  do use(text);
  while (in_.takes(","));
}

void Parser::uses_in_parentheses(OperationText& text) {
  in_.expect("(");
  if (in_.takes(")")) return;
  uses(text);
  in_.expect(")");
}

void Parser::require_counts(const OperationText& text) {
  const std::size_t operands = text.op.operands.size(), types = text.op.operand_types.size();
  if (operands != types)
    in_.refuse_at(text.op.at.byte, fmt::format("{} has {}, but the text gives {} of operands", text.op.name,
                                               counted(static_cast<std::int64_t>(operands), "operand"),
                                               counted(static_cast<std::int64_t>(types), "type")));
}

void Parser::require_types(const OperationText& text) {
  require_counts(text);
  for (std::size_t i = 0; i < text.op.operands.size(); ++i) {
    const auto id = static_cast<std::size_t>(text.op.operands[i].id);
    if (is_broken_[id] || types_[id] == text.op.operand_types[i]) continue;
    in_.refuse_at(text.operand_names[i].at,
                  fmt::format("{} is {}, but {} takes it as {}", text.operand_names[i].text,
                              to_string(types_[id]), text.op.name, to_string(text.op.operand_types[i])));
  }
}

void Parser::generic(OperationText& text) {
  const Token name = in_.peek();
  text.op.at = {name.at};
  text.op.name = in_.quoted("the name of an operation");
  require_known(text.op.name, name.at);
  uses_in_parentheses(text);
  if (in_.takes("[")) in_.refuse_at(name.at, "an operation with successors; StableHLO has none");
  if (in_.takes("<")) {
    add_attributes(text, dictionary());
    in_.expect(">");
  }
  if (in_.takes("(")) {
    do {
      Block& block = text.op.regions.emplace_back();
      if (text.op.name == "func.func") function_region(block);
      else region(block, is_isolated(text.op.name));
    } while (in_.takes(","));
    in_.expect(")");
  }
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

/// Later uses of results whose operation has an error are no errors of their own.
void Parser::define_broken(const std::vector<ResultNames>& names) {
  for (const ResultNames& each : names) {
    if (names_.contains(each.name.text)) continue;
    const Value first = made(OtherType{"?"});
    is_broken_.back() = true;
    for (int i = 1; i < each.count; ++i) {
      made(OtherType{"?"});
      is_broken_.back() = true;
    }
    define(each.name, {first, each.count});
  }
}

Operation Parser::operation() {
  const Level level(*this);
  std::vector<ResultNames> names;
  try {
    names = result_names();
    OperationText text;
    if (in_.sees(TokenKind::string)) generic(text);
    else if (in_.sees(TokenKind::word)) pretty(text, in_.take());
    else in_.refuse("an operation, as in stablehlo.add");
    text.op.location = location_if_there();
    require_types(text);
    text.op.results = define_results(names, text);
    std::ranges::stable_sort(text.op.attributes, {}, &NamedAttribute::name);  // as MLIR keeps them
    return std::move(text.op);
  } catch (const Error&) {
    define_broken(names);
    throw;
  }
}

void Parser::statements(std::vector<Operation>& operations) {
  while (!in_.sees("}")) {
    if (in_.sees(TokenKind::end)) in_.refuse("an operation or '}'");
    if (in_.sees(TokenKind::block)) in_.refuse("an operation or '}': a region of StableHLO is one block");
    const std::size_t begin = in_.peek().at;
    try {
      operations.push_back(operation());
    } catch (const Error& error) {
      report(error);
      skip_statement(begin);
    }
  }
}

void Parser::block_header(Block& block) {
  if (!in_.sees(TokenKind::block)) return;
  in_.take();
  if (in_.takes("(") && !in_.takes(")")) {
    do {
      const Token name = in_.expect(TokenKind::value, "an argument of the block");
      in_.expect(":");
      define_argument(name, type(), block);
      location_if_there();
    } while (in_.takes(","));
    in_.expect(")");
  }
  in_.expect(":");
}

/// True if the next token begins a statement of a region.
bool Parser::sees_statement() const {
  const std::string_view next = in_.peek().text;
  if (in_.sees(TokenKind::word)) return form_of(next) && next != "sdy.mesh";
  if (in_.sees(TokenKind::string)) return next != "\"func.func\"" && next != "\"sdy.mesh\"";
  return in_.sees(TokenKind::value) || in_.sees(TokenKind::block);
}

/// Reads "{". Where it is missing before a statement, that is the only error: the region is read.
void Parser::open_region() {
  if (in_.takes("{")) return;
  const bool has_statement = sees_statement();
  try {
    in_.refuse("'{'");
  } catch (const Error& error) {
    if (!has_statement) throw;
    report(error);
  }
}

void Parser::region_body(Block& block, const std::vector<Token>& names) {
  const Level level(*this);
  const NameScope scope(*this);
  open_region();
  for (std::size_t i = 0; i < names.size(); ++i) {
    block.arguments.push_back(made(block.argument_types[i]));
    define(names[i], {block.arguments.back()});
  }
  block_header(block);
  statements(block.operations);
  in_.expect("}");
}

void Parser::region(Block& block, bool is_isolated, const std::vector<Token>& names) {
  if (!is_isolated) return region_body(block, names);
  Names outside = std::exchange(names_, {});
  std::vector<std::string_view> order = std::exchange(defined_, {});
  const auto restore = [&] {
    names_ = std::move(outside);
    defined_ = std::move(order);
  };
  try {
    region_body(block, names);
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

/// The region of a function: its values are numbered from 0.
void Parser::function_region(Block& block) {
  std::vector<ValueType> types = std::exchange(types_, {});
  std::vector<bool> broken = std::exchange(is_broken_, {});
  region(block, true);
  types_ = std::move(types);
  is_broken_ = std::move(broken);
}

}  // namespace tutti::stablehlo
