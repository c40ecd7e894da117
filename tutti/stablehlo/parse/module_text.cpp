// SPDX-License-Identifier: Apache-2.0
// Modules and functions.
#include <fmt/format.h>

#include "tutti/base/counted.hpp"
#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {
namespace {

const std::string* text_of(const Attribute* attribute) {
  return attribute ? std::get_if<std::string>(&attribute->value) : nullptr;
}

void drop(Attributes& attributes, std::string_view name) {
  std::erase_if(attributes, [&](const NamedAttribute& each) { return each.name == name; });
}

/// The dictionaries of "arg_attrs = [{..}, {..}]".
std::vector<Attributes> dictionaries_of(const Attribute* attribute) {
  std::vector<Attributes> all;
  const List* list = attribute ? std::get_if<List>(&attribute->value) : nullptr;
  if (!list) return all;
  for (const Attribute& item : list->items) {
    const auto* dictionary = std::get_if<Dictionary>(&item.value);
    all.push_back(dictionary ? dictionary->entries : Attributes{});
  }
  return all;
}

}  // namespace

void Parser::module_head() {
  skip_aliases();
  if (in_.sees(TokenKind::string) && in_.peek().text == "\"builtin.module\"") {
    add_module(operation());
  } else if (in_.takes("module")) {
    if (in_.sees(TokenKind::symbol) || in_.sees("@")) module_.name = in_.symbol("the name of the module");
    if (in_.takes("attributes")) module_.attributes = dictionary();
    in_.expect("{");
    module_statements("}");
    in_.expect("}");
    module_.location = location_if_there();
  } else {
    const bool is_module = in_.sees("func.func") || in_.sees("sdy.mesh") || in_.sees(TokenKind::end);
    if (!is_module && !sees_statement()) in_.refuse("'module' or 'func.func'");
    module_statements("");
  }
  skip_aliases();
  if (!in_.sees(TokenKind::end)) in_.refuse("the end of the text");
}

/// Reads functions and symbols up to `end`, or the end of the text.
void Parser::module_statements(std::string_view end) {
  while (end.empty() || !in_.sees(end)) {
    if (in_.sees(TokenKind::end) || (end.empty() && (in_.sees(TokenKind::hash) || in_.sees("!")))) return;
    const std::size_t begin = in_.peek().at;
    try {
      module_statement();
    } catch (const Error& error) {
      report(error);
      skip_statement(begin);
      if (in_.peek().at == begin) in_.take();
    }
  }
}

void Parser::module_statement() {
  types_.clear();
  is_broken_.clear();
  names_.clear();
  defined_.clear();
  if (in_.takes("func.func")) return function();
  if (in_.sees(TokenKind::string) && in_.peek().text == "\"func.func\"") return add_function(operation());
  const std::size_t at = in_.peek().at;
  Operation op = operation();
  if (op.name != "sdy.mesh")
    in_.refuse_at(at, fmt::format("{} does not stand in a module; expected func.func or sdy.mesh", op.name));
  module_.symbols.push_back(std::move(op));
}

/// The text behind "func.func".
void Parser::function() {
  Function function;
  function.is_public = !in_.takes("private");
  if (function.is_public) in_.takes("public");
  function.at = {in_.peek().at};
  function.name = in_.symbol("the name of the function, as in @main");
  std::vector<Token> names;
  function_arguments(function, names);
  function_results(function);
  if (in_.takes("attributes")) function.attributes = dictionary();
  function.is_declaration = !in_.sees("{") && !sees_statement();
  if (!function.is_declaration) {
    if (names.size() != function.body.argument_types.size()) in_.refuse("names of the arguments: %arg0: ..");
    region_body(function.body, names);
  }
  location_if_there();
  module_.functions.push_back(std::move(function));
}

void Parser::function_arguments(Function& function, std::vector<Token>& names) {
  in_.expect("(");
  if (in_.takes(")")) return;
  do {
    if (in_.sees(TokenKind::value)) {
      names.push_back(in_.take());
      in_.expect(":");
    }
    function.body.argument_types.push_back(type());
    function.argument_attributes.push_back(dictionary_if_there());
    function.argument_locations.list.push_back(location_if_there());
  } while (in_.takes(","));
  in_.expect(")");
}

void Parser::function_results(Function& function) {
  if (!in_.takes("->")) return;
  if (!in_.takes("(")) {
    function.result_types.push_back(type());
    function.result_attributes.emplace_back();
    return;
  }
  if (in_.takes(")")) return;
  do {
    function.result_types.push_back(type());
    function.result_attributes.push_back(dictionary_if_there());
  } while (in_.takes(","));
  in_.expect(")");
}

/// A module in generic form: its functions and symbols have been read as operations.
void Parser::add_module(Operation op) {
  if (const std::string* name = text_of(find(op.attributes, "sym_name"))) module_.name = *name;
  drop(op.attributes, "sym_name");
  module_.attributes = std::move(op.attributes);
  module_.location = op.location;
  for (Block& block : op.regions)
    for (Operation& inner : block.operations) {
      if (inner.name == "func.func") add_function(std::move(inner));
      else module_.symbols.push_back(std::move(inner));
    }
}

void Parser::add_function(Operation op) {
  Function function;
  function.at = op.at;
  const std::string* name = text_of(find(op.attributes, "sym_name"));
  if (!name) in_.refuse_at(op.at.byte, "func.func lacks sym_name");
  function.name = *name;
  const std::string* visibility = text_of(find(op.attributes, "sym_visibility"));
  function.is_public = !visibility || *visibility != "private";
  function.argument_attributes = dictionaries_of(find(op.attributes, "arg_attrs"));
  function.result_attributes = dictionaries_of(find(op.attributes, "res_attrs"));
  if (op.regions.empty() || op.regions[0].operations.empty())
    in_.refuse_at(op.at.byte, fmt::format("func.func @{} has no body", function.name));
  function.body = std::move(op.regions[0]);
  function.result_types = function.body.operations.back().operand_types;
  function.argument_attributes.resize(function.body.argument_types.size());
  function.result_attributes.resize(function.result_types.size());
  for (const char* known : {"sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"})
    drop(op.attributes, known);
  function.attributes = std::move(op.attributes);
  module_.functions.push_back(std::move(function));
}

}  // namespace tutti::stablehlo
