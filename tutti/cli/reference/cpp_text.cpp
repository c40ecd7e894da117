// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/reference/cpp_text.hpp"

#include <algorithm>
#include <cctype>

namespace tutti::cli {
namespace {

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

/// The position after a literal that begins at `at`, or `at` if none does.
std::size_t after_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_separator =
      quote == '\'' && at > 0 && std::isxdigit(static_cast<unsigned char>(text[at - 1]));
  if ((quote != '"' && quote != '\'') || is_separator) return at;
  if (quote == '"' && at > 0 && text[at - 1] == 'R') {
    const std::size_t open = text.find('(', at);
    const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    return std::min(text.find(close, open), text.size() - close.size()) + close.size();
  }
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

/// The position after a comment or a preprocessor line that begins at `at`, or `at` if none does.
std::size_t after_remark(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "/*") return std::min(text.find("*/", at), text.size() - 2) + 2;
  const std::size_t line = text.rfind('\n', at) + 1;
  const bool is_directive = text[at] == '#' && after_spaces(text, line) == at;
  if (text.substr(at, 2) != "//" && !is_directive) return at;
  std::size_t end = std::min(text.find('\n', at), text.size());
  while (end < text.size() && text[end - 1] == '\\') end = std::min(text.find('\n', end + 1), text.size());
  return end;
}

}  // namespace

std::string code_alone(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = after_remark(text, at);
    if (end == at) end = after_literal(text, at);
    for (std::size_t i = at; i < end; ++i)
      if (text[i] != '\n') code[i] = ' ';
    at = std::max(end, at + 1);
  }
  return code;
}

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string_view word_at(std::string_view code, std::size_t at) {
  std::size_t end = at;
  while (end < code.size() && is_word_letter(code[end])) ++end;
  return code.substr(std::min(at, code.size()), end - at);
}

std::string_view word_before(std::string_view code, std::size_t end) {
  while (end > 0 && is_space(code[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_letter(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

std::size_t after_spaces(std::string_view code, std::size_t at) {
  while (at < code.size() && is_space(code[at])) ++at;
  return at;
}

std::size_t after_brackets(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (std::string_view("([{").find(code[at]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(code[at]) != std::string_view::npos && --depth == 0) return at + 1;
  }
  return code.size();
}

std::size_t after_angles(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(') at = after_brackets(code, at) - 1;
    else if (code[at] == '<') ++depth;
    else if (code[at] == '>' && --depth == 0) return at + 1;
  }
  return code.size();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (char letter : trimmed(text))
    if (!is_space(letter)) line += letter;
    else if (line.back() != ' ') line += ' ';
  return line;
}

std::string without_indentation(std::string_view text) {
  std::size_t shared = std::string_view::npos;
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    const std::size_t first = text.find_first_not_of(' ', at + 1);
    if (first != text.npos && text[first] != '\n') shared = std::min(shared, first - at - 1);
  }
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text[at] == '\n') at += std::min(shared, text.find_first_not_of(' ', at + 1) - at - 1);
  }
  return result;
}

std::string with_whole_sentences(std::string_view comment) {
  constexpr std::string_view example = "///     ";
  std::string text;
  bool was_example = false;
  for (std::size_t at = 0, end; at < comment.size(); at = end + 1) {
    end = std::min(comment.find('\n', at), comment.size());
    const std::string_view line = comment.substr(at, end - at);
    const std::size_t words = line.find_first_not_of("/ ");
    const bool is_example = line.starts_with(example);
    const bool ended = text.empty() || text.ends_with(".\n") || text.ends_with(":\n");
    const bool goes_on = !ended && words != line.npos && !is_example && !was_example;
    if (goes_on) text.back() = ' ';
    text += std::string(goes_on ? line.substr(words) : line) + "\n";
    was_example = is_example;
  }
  return text;
}

}  // namespace tutti::cli
