// SPDX-License-Identifier: Apache-2.0
// Where aliases are defined, "#name = .." and "!name = ..".
#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

/// Notes where lines "#name = .." and "!name = .." stand: a text may use an alias before its definition.
void Parser::find_aliases() {
  const std::string_view text = in_.text();
  for (std::size_t line = in_.peek().at; line < text.size();) {  // a byte order mark may stand before it
    if (text[line] == '#' || text[line] == '!') {
      std::size_t end = line + 1;
      while (end < text.size() && !is_blank(text[end]) && text[end] != '=' && text[end] != '\n') ++end;
      const std::string_view name = text.substr(line, end - line);
      while (end < text.size() && is_blank(text[end])) ++end;
      if (end < text.size() && text[end] == '=') alias_at_.emplace(name, end + 1);
    }
    const std::size_t next = text.find('\n', line);
    if (next == std::string_view::npos) break;
    line = next + 1;
  }
}

/// Skips definitions of aliases, which find_aliases has noted. They are read where they are used.
void Parser::skip_aliases() {
  while (in_.sees(TokenKind::hash) || in_.sees("!")) {
    const Token first = in_.take();
    if (first.text == "!") in_.take();
    const std::string_view name = in_.text().substr(first.at, in_.behind_last() - first.at);
    if (!alias_at_.contains(name)) in_.refuse_at(first.at, "an attribute outside of any operation");
    in_.expect("=");
    if (first.text == "!") type();
    else if (in_.sees("loc")) location_if_there();
    else attribute();
  }
}

}  // namespace tutti::stablehlo
