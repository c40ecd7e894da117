// SPDX-License-Identifier: Apache-2.0
// Reads ops as Triton 3.9.0 prints them, in the assembly formats of its dialects tt, ttg, arith and scf.
#include <fmt/format.h>

#include "tests/kernels/parse/parser.hpp"
#include "tutti/kernels/ir/text_parts.hpp"

namespace tutti::kernels {

struct Parser::Form {
  std::string_view name;
  void (Parser::*read)(OpText&);
};

const Parser::Form Parser::forms[] = {
    {"tt.get_program_id", &Parser::axis_form},
    {"tt.get_num_programs", &Parser::axis_form},
    {"tt.make_range", &Parser::becomes_form},
    {"tt.splat", &Parser::becomes_form},
    {"tt.expand_dims", &Parser::becomes_form},
    {"tt.broadcast", &Parser::becomes_form},
    {"tt.reshape", &Parser::becomes_form},
    {"tt.addptr", &Parser::listed_form},
    {"tt.int_to_ptr", &Parser::becomes_form},
    {"tt.ptr_to_int", &Parser::becomes_form},
    {"tt.bitcast", &Parser::becomes_form},
    {"tt.load", &Parser::listed_form},
    {"tt.store", &Parser::listed_form},
    {"tt.atomic_rmw", &Parser::atomic_form},
    {"tt.atomic_cas", &Parser::atomic_form},
    {"tt.atomic_store", &Parser::atomic_form},
    {"tt.atomic_load", &Parser::atomic_form},
    {"tt.atomic_poll", &Parser::atomic_form},
    {"tt.elementwise_inline_asm", &Parser::assembly_form},
    {"tt.reduce.return", &Parser::listed_form},
    {"tt.return", &Parser::listed_form},
    {"ttg.barrier", &Parser::barrier_form},
    {"arith.constant", &Parser::constant_form},
    {"arith.cmpi", &Parser::compare_form},
    {"arith.cmpf", &Parser::compare_form},
    {"arith.select", &Parser::select_form},
    {"arith.extsi", &Parser::to_form},
    {"arith.extui", &Parser::to_form},
    {"arith.trunci", &Parser::to_form},
    {"arith.extf", &Parser::to_form},
    {"arith.truncf", &Parser::to_form},
    {"scf.for", &Parser::for_form},
    {"scf.if", &Parser::if_form},
    {"scf.while", &Parser::while_form},
    {"scf.yield", &Parser::listed_form},
    {"scf.condition", &Parser::condition_form},
};

OpText Parser::triton_op() {
  OpText op;
  const Token name = in_.take();
  op.at = name.at;
  op.name = name.text;
  for (const Form& form : forms) {
    if (form.name != name.text) continue;
    (this->*form.read)(op);
    return op;
  }
  for (int i = 0; i <= static_cast<int>(ArithOp::minimumf); ++i) {
    if (op_name(Arith{static_cast<ArithOp>(i)}) != name.text) continue;
    listed_form(op);
    return op;
  }
  in_.refuse_at(op.at, fmt::format("kernels have no op '{}'", op.name));
}

void Parser::dictionary(OpText& op) {
  if (in_.sees("{")) read_dictionary(in_, op.attributes);
}

void Parser::enumerated(OpText& op, std::string_view attribute, int number) const {
  op.attributes.all.push_back(
      {std::string(attribute), op.at, {Constant{value_of(Scalar::i32), std::int64_t{number}}}});
}

/// Reads an enumerator by name. The generic text has its number.
template <class Enum>
void Parser::enumerated(OpText& op, std::string_view attribute, Enum first, Enum last) {
  std::string words;
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    const std::string_view word = to_string(static_cast<Enum>(i));
    if (in_.takes(word)) return enumerated(op, attribute, i);
    words += (words.empty() ? "one of " : ", ") + std::string(word);
  }
  in_.refuse(words);
}

// x : i32
void Parser::axis_form(OpText& op) {
  if (!in_.takes("x")) in_.refuse("'x': the grid has one axis");
  enumerated(op, "axis", 0);
  dictionary(op);
  in_.expect(":");
  op.result_types = {read_type(in_)};
  op.states_results = true;
}

// %x {..} : i32 -> i64; operands are optional
void Parser::converted_form(OpText& op, std::string_view arrow) {
  if (in_.sees(TokenKind::value)) op.operands = uses();
  dictionary(op);
  in_.expect(":");
  if (!op.operands.empty()) {
    op.operand_types = read_types(in_);
    in_.expect(arrow);
  }
  op.result_types = {read_type(in_)};
  op.states_results = true;
}

// %x, %y {..} : types of the first operands; an op without operands has only the dictionary
void Parser::listed_form(OpText& op) {
  if (in_.sees(TokenKind::value)) op.operands = uses();
  dictionary(op);
  if (op.operands.empty()) return;
  in_.expect(":");
  op.operand_types = read_types(in_);
}

// exch, release, sys, %p, %v timeout %t {..} : types
void Parser::atomic_form(OpText& op) {
  if (op.name == "tt.atomic_rmw") {
    enumerated(op, "atomic_rmw_op", RmwOp::bit_and, RmwOp::exch);
    in_.expect(",");
  }
  enumerated(op, "sem", Order::relaxed, Order::acq_rel);
  in_.expect(",");
  enumerated(op, "scope", Scope::gpu, Scope::sys);
  in_.expect(",");
  op.operands = uses();
  const bool is_poll = op.name == "tt.atomic_poll";
  if (is_poll && in_.takes("timeout")) op.operands.push_back(use());
  dictionary(op);
  in_.expect(":");
  const bool in_brackets = op.name != "tt.atomic_store" && !is_poll;
  op.operand_types = in_brackets ? read_types_in_brackets(in_) : read_types(in_);
  if (op.name == "tt.atomic_store") return;
  in_.expect("->");
  op.result_types = {read_type(in_)};
  op.states_results = true;
}

// "mov.u32 $0, %tid.x;" {..} %x : i32 -> i32
void Parser::assembly_form(OpText& op) {
  const std::size_t at = in_.peek().at;
  op.attributes.all.push_back({"asm_string", at, {in_.quoted("the assembly in quotes")}});
  dictionary(op);
  if (in_.sees(TokenKind::value)) {
    op.operands = uses();
    in_.expect(":");
    op.operand_types = read_types(in_);
  }
  in_.expect("->");
  op.result_types = read_types(in_);
  op.states_results = true;
}

void Parser::barrier_form(OpText& op) {
  if (!in_.takes("all")) in_.refuse("'all': a block barrier is of all address spaces");
  enumerated(op, "addrSpace", every_address_space);
  dictionary(op);
}

void Parser::constant_form(OpText& op) {
  dictionary(op);
  const std::size_t at = in_.peek().at;
  op.attributes.all.push_back({"value", at, read_attribute(in_)});
}

// slt, %x, %y : i32
void Parser::compare_form(OpText& op) {
  if (op.name == "arith.cmpi") enumerated(op, "predicate", IntPredicate::eq, IntPredicate::uge);
  else enumerated(op, "predicate", FloatPredicate::oeq, FloatPredicate::uno);
  in_.expect(",");
  listed_form(op);
}

// %c, %x, %y : type of %x; if %c is a tensor, its type comes before that of %x
void Parser::select_form(OpText& op) {
  op.operands = uses();
  dictionary(op);
  in_.expect(":");
  std::vector<ValueType> types = read_types(in_);
  op.result_types = {types.back()};
  op.states_results = true;
  types.pop_back();
  op.operand_types = std::move(types);
}

std::vector<Token> Parser::carried(OpText& op) {
  std::vector<Token> names;
  in_.expect("(");
  if (in_.takes(")")) return names;
  do {
    names.push_back(in_.expect(TokenKind::value, "the name of a carried value"));
    in_.expect("=");
    op.operands.push_back(use());
  } while (in_.takes(","));
  in_.expect(")");
  return names;
}

void Parser::block_with_yield(Region& region) {
  block(region);
  if (region.ops.empty() || !std::holds_alternative<Yield>(region.ops.back().kind))
    region.ops.push_back({Yield{}, {}, {}, {}});
}

// %i = %lower to %upper step %step iter_args(%x = %begin) -> (f32) : i32 { .. }
void Parser::for_form(OpText& op) {
  const NameScope scope(*this);
  std::vector<Token> names{in_.expect(TokenKind::value, "the loop's counter")};
  in_.expect("=");
  op.operands.push_back(use());
  in_.expect("to");
  op.operands.push_back(use());
  in_.expect("step");
  op.operands.push_back(use());
  if (in_.takes("iter_args")) {
    const std::vector<Token> more = carried(op);
    names.insert(names.end(), more.begin(), more.end());
    in_.expect("->");
    op.result_types = read_types_in_brackets(in_);
  }
  op.states_results = true;
  in_.expect(":");
  op.operand_types = {read_type(in_)};
  Region& body = op.regions.emplace_back();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value begin = op.operands[i == 0 ? 0 : i + 2];
    body.arguments.push_back(made(ValueType(type_of(function_, begin))));
    define(names[i], body.arguments.back());
  }
  block_with_yield(body);
  dictionary(op);
}

// %c -> (i32) { .. } else { .. }
void Parser::if_form(OpText& op) {
  op.operands = {use()};
  if (in_.takes("->")) op.result_types = read_result_types(in_);
  op.states_results = true;
  op.regions.resize(2);
  block_with_yield(op.regions[0]);
  if (in_.takes("else")) block_with_yield(op.regions[1]);
  dictionary(op);
}

// (%x = %begin) : (i32) -> i32 { .. } do { ^bb0(%y: i32): .. }
void Parser::while_form(OpText& op) {
  op.regions.resize(2);
  {
    const NameScope scope(*this);
    const std::vector<Token> names = in_.sees("(") ? carried(op) : std::vector<Token>{};
    in_.expect(":");
    op.operand_types = read_types_in_brackets(in_);
    in_.expect("->");
    op.result_types = read_result_types(in_);
    op.states_results = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      op.regions[0].arguments.push_back(made(ValueType(type_of(function_, op.operands[i]))));
      define(names[i], op.regions[0].arguments.back());
    }
    block(op.regions[0]);
  }
  in_.expect("do");
  block_with_yield(op.regions[1]);
  if (in_.takes("attributes")) dictionary(op);
}

// (%c) %x : i32
void Parser::condition_form(OpText& op) {
  in_.expect("(");
  op.operands = {use()};
  in_.expect(")");
  dictionary(op);
  if (!in_.sees(TokenKind::value)) return;
  const std::vector<Value> carried_on = uses();
  op.operands.insert(op.operands.end(), carried_on.begin(), carried_on.end());
  in_.expect(":");
  op.operand_types = read_types(in_);
  op.operand_types.insert(op.operand_types.begin(), type_of(function_, op.operands[0]));
}

}  // namespace tutti::kernels
