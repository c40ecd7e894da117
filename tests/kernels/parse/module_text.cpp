// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/kernels/parse/kernel_from_text.hpp"
#include "tests/kernels/parse/parser.hpp"
#include "tutti/base/error.hpp"
#include "tutti/kernels/ir/verify.hpp"

namespace tutti::kernels {

std::vector<Parser::Kernel> Parser::module() {
  skip_location_lines();
  std::vector<Kernel> kernels;
  if (in_.sees(TokenKind::string)) {
    const std::size_t at = in_.peek().at;
    if (in_.quoted("a module") != "builtin.module") in_.refuse_at(at, "expected \"builtin.module\"");
    for (const std::string_view mark : {"(", ")", "(", "{"}) in_.expect(mark);
    if (in_.sees(TokenKind::block)) {
      in_.take();
      in_.expect(":");
    }
    kernels = kernels_until("}");
    for (const std::string_view mark : {")", ":", "(", ")", "->", "(", ")"}) in_.expect(mark);
  } else {
    if (!in_.takes("module")) in_.refuse("'module' or '\"builtin.module\"'");
    if (in_.sees(TokenKind::symbol)) in_.take();
    Attributes attributes;
    if (in_.takes("attributes")) read_dictionary(in_, attributes);
    require_empty(in_, attributes, "module");
    in_.expect("{");
    kernels = kernels_until("}");
  }
  in_.skip_location();
  skip_location_lines();
  if (!in_.sees(TokenKind::end)) in_.refuse("the end of the text");
  return kernels;
}

// #loc3 = loc("file":1:2)
void Parser::skip_location_lines() {
  while (in_.sees(TokenKind::hash)) {
    in_.take();
    in_.expect("=");
    if (!in_.sees("loc")) in_.refuse("a location, as in loc(\"file\":1:1)");
    in_.skip_location();
  }
}

std::vector<Parser::Kernel> Parser::kernels_until(std::string_view end) {
  std::vector<Kernel> kernels;
  while (!in_.takes(end)) {
    kernels.push_back(kernel());
    const Function& last = kernels.back().function;
    for (std::size_t i = 0; i + 1 < kernels.size(); ++i)
      if (kernels[i].function.name == last.name)
        in_.refuse_at(kernels.back().at, fmt::format("two kernels are named {}", last.name));
  }
  return kernels;
}

Parser::Kernel Parser::kernel() {
  const NameScope scope(*this);
  const std::size_t at = in_.peek().at;
  function_ = {};
  if (in_.sees(TokenKind::string) && in_.peek().text == "\"tt.func\"") {
    generic_head();
  } else {
    if (!in_.takes("tt.func")) in_.refuse("'tt.func' or '}'");
    triton_head();
  }
  in_.skip_location();
  return {std::move(function_), at};
}

// tt.func public @name(%a: i32 {..}, ..) attributes {noinline = false} { .. }
void Parser::triton_head() {
  if (!in_.takes("public") && !in_.sees(TokenKind::symbol))
    in_.refuse("'public' or the kernel's name, as in @copy");
  function_.name = in_.expect(TokenKind::symbol, "the kernel's name, as in @copy").text.substr(1);
  in_.expect("(");
  while (!in_.takes(")")) {
    if (!function_.arguments.empty()) in_.expect(",");
    const Token name = in_.expect(TokenKind::value, "an argument");
    in_.expect(":");
    const ValueType type = read_type(in_);
    define(name, made(type));
    function_.arguments.push_back({std::string(name.text.substr(1)), type, {}});
    if (in_.sees("{")) {
      Attributes hints;
      read_dictionary(in_, hints);
      function_.arguments.back().divisibility = divisibility_in(in_, hints, name.at);
      require_empty(in_, hints, "argument " + std::string(name.text));
    }
    in_.skip_location();
  }
  if (in_.takes("attributes")) {
    Attributes attributes;
    read_dictionary(in_, attributes);
    if (taken<bool>(in_, attributes, "noinline").value_or(false)) in_.refuse("noinline = false");
    require_empty(in_, attributes, "tt.func");
  }
  block(function_.body);
}

// "tt.func"() <{arg_attrs = [..], function_type = .., sym_name = .., sym_visibility = ..}> ({..}) {..} : ()
// -> ()
void Parser::generic_head() {
  Attributes attributes;
  in_.take();
  in_.expect("(");
  in_.expect(")");
  in_.expect("<");
  read_dictionary(in_, attributes);
  for (const std::string_view mark : {">", "("}) in_.expect(mark);
  generic_signature(attributes);
  in_.expect(")");
  if (in_.sees("{")) read_dictionary(in_, attributes);
  if (taken<bool>(in_, attributes, "noinline").value_or(false)) in_.refuse("noinline = false");
  require_empty(in_, attributes, "tt.func");
  for (const std::string_view mark : {":", "(", ")", "->", "(", ")"}) in_.expect(mark);
}

void Parser::generic_signature(Attributes& attributes) {
  const std::size_t at = in_.peek().at;
  const auto name = taken<std::string>(in_, attributes, "sym_name");
  const auto type = taken<FunctionType>(in_, attributes, "function_type");
  if (!name || !type) in_.refuse_at(at, "tt.func: sym_name or function_type is missing");
  if (taken<std::string>(in_, attributes, "sym_visibility").value_or("public") != "public")
    in_.refuse_at(at, "tt.func: a kernel is public");
  function_.name = *name;
  auto hints =
      taken<std::vector<Attributes>>(in_, attributes, "arg_attrs").value_or(std::vector<Attributes>{});
  if (!type->results.empty()) in_.refuse_at(at, "tt.func: a kernel has no results");
  if (!hints.empty() && hints.size() != type->arguments.size())
    in_.refuse_at(at, "tt.func: arg_attrs are of another number of arguments");

  Region body;
  in_.expect("{");
  for (const Token& argument : block_header(body)) {
    const Value value = body.arguments[function_.arguments.size()];
    function_.arguments.push_back({std::string(argument.text.substr(1)), type_of(function_, value), {}});
  }
  ops_to_end(body);
  if (types_of(function_, body.arguments) != type->arguments)
    in_.refuse_at(at, "tt.func: the block has other arguments than function_type");
  for (std::size_t i = 0; i < hints.size(); ++i) {
    function_.arguments[i].divisibility = divisibility_in(in_, hints[i], at);
    require_empty(in_, hints[i], "tt.func");
  }
  body.arguments.clear();
  function_.body = std::move(body);
}

std::vector<Function> kernels_from_text(std::string_view text) {
  std::vector<Function> functions;
  for (Parser::Kernel& kernel : Parser(text).module()) {
    try {
      verify(kernel.function);
    } catch (const Error& error) {
      Lexer(text_of_kernel(text)).refuse_at(kernel.at, error.message());
    }
    functions.push_back(std::move(kernel.function));
  }
  return functions;
}

Function kernel_from_text(std::string_view text) {
  std::vector<Function> kernels = kernels_from_text(text);
  if (kernels.size() != 1)
    Lexer(text_of_kernel(text))
        .refuse_at(0, fmt::format("the module has {} kernels, expected one", kernels.size()));
  return std::move(kernels.front());
}

}  // namespace tutti::kernels
