// SPDX-License-Identifier: Apache-2.0
#include "tutti/mlir/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace tutti::mlir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_of_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.'; }
bool is_of_name(char c) { return is_of_word(c) || c == '-'; }  // names of values, symbols and blocks

template <class Belongs>
std::size_t length_while(std::string_view text, std::size_t begin, Belongs belongs) {
  std::size_t end = begin;
  while (end < text.size() && belongs(text[end])) ++end;
  return end;
}

std::size_t length_of_number(std::string_view text) {
  if (text.starts_with("0x") && text.size() > 2 && is_hex(text[2])) return length_while(text, 2, is_hex);
  std::size_t end = length_while(text, 0, is_digit);
  if (end == text.size() || text[end] != '.') return end;
  end = length_while(text, end + 1, is_digit);
  if (end == text.size() || (text[end] != 'e' && text[end] != 'E')) return end;
  const std::size_t sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? 2 : 1;
  const std::size_t exponent = length_while(text, end + sign, is_digit);
  return exponent > end + sign ? exponent : end;
}

/// The length of a string with both quotes; 0 if the string does not end on its line.
std::size_t length_of_string(std::string_view text) {
  std::size_t begin = 1;
  for (;;) {
    const std::size_t end = text.find('"', begin);
    if (end == std::string_view::npos) return 0;
    const std::string_view before = text.substr(begin, end - begin);
    const std::size_t escape = before.find('\\');  // the character behind it ends nothing
    if (before.substr(0, escape).find('\n') != std::string_view::npos) return 0;
    if (escape == std::string_view::npos) return end + 1;
    begin += escape + 2;
  }
}

}  // namespace

std::string shown(const Token& token) {
  constexpr std::size_t longest = 40;
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.text.size() <= longest) return fmt::format("'{}'", token.text);
  return fmt::format("'{}..'", token.text.substr(0, longest));
}

Where Lexer::where(std::size_t at) const {
  if (!places_) places_.emplace(source_.text);
  return places_->place(source_.text, at, source_.name);
}

Error Lexer::error_at(std::size_t at, const std::string& message) const {
  return {source_.code, where(at), message, marked_line(source_.text, at)};
}

void Lexer::refuse_at(std::size_t at, const std::string& message) const { throw error_at(at, message); }

void Lexer::refuse(std::string_view expected) const {
  refuse_at(next_.at, fmt::format("found {}, expected {}", shown(next_), expected));
}

void Lexer::skip_blanks() {
  if (at_ == 0 && text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  while (at_ < text_.size()) {
    if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n') ++at_;
    else if (text_.substr(at_, 2) == "//") at_ = std::min(text_.find('\n', at_), text_.size());
    else return;
  }
}

std::size_t Lexer::length_of_next(TokenKind& kind) const {
  const std::string_view rest = text_.substr(at_);
  const char first = rest.front();
  kind = TokenKind::word;
  if (is_letter(first) || first == '_') return length_while(rest, 1, is_of_word);
  kind = TokenKind::number;
  if (is_digit(first)) return length_of_number(rest);
  kind = TokenKind::string;
  if (first == '"')
    if (const std::size_t length = length_of_string(rest); length > 0) return length;
  static constexpr std::string_view sigils = "%@^#";
  static constexpr std::array named = {TokenKind::value, TokenKind::symbol, TokenKind::block,
                                       TokenKind::hash};
  if (const std::size_t sigil = sigils.find(first); sigil != std::string_view::npos) {
    kind = named[sigil];
    const bool is_numbered = rest.size() > 1 && is_digit(rest[1]);
    const std::size_t end = is_numbered ? length_while(rest, 1, is_digit) : length_while(rest, 1, is_of_name);
    if (end > 1) return end;
  }
  kind = TokenKind::mark;
  return rest.starts_with("->") ? 2 : 1;
}

void Lexer::advance() {
  behind_last_ = at_;
  skip_blanks();
  next_ = {TokenKind::end, text_.substr(at_, 0), at_};
  if (at_ == text_.size()) return;
  const std::size_t length = length_of_next(next_.kind);
  next_.text = text_.substr(at_, length);
  at_ += length;
}

void Lexer::go_to(std::size_t at) {
  at_ = std::min(at, text_.size());
  advance();
}

void Lexer::expect(std::string_view word) {
  if (!takes(word)) refuse(fmt::format("'{}'", word));
}

Token Lexer::expect(TokenKind kind, std::string_view what) {
  if (!sees(kind)) refuse(what);
  return take();
}

std::int64_t Lexer::integer(std::string_view what) {
  const std::size_t begin = next_.at;
  const bool is_negative = takes("-");
  if (!sees(TokenKind::number)) refuse(what);
  const std::string_view number = take().text;
  const int base = number.starts_with("0x") ? 16 : 10;
  const std::string digits = (is_negative ? "-" : "") + std::string(number.substr(base == 16 ? 2 : 0));
  std::int64_t value = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value, base);
  if (error != std::errc{} || end != last)
    refuse_at(begin, fmt::format("'{}' is no integer of 64 bits; expected {}", digits, what));
  return value;
}

std::vector<std::int64_t> Lexer::dims_behind_bracket() {
  std::vector<std::int64_t> dims;
  at_ = next_.at + 1;
  while (true) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("?x")) {
      dims.push_back(unknown_dim);
      at_ += 2;
      continue;
    }
    const std::size_t digits = length_while(rest, 0, is_digit);
    if (digits == 0 || digits == rest.size() || rest[digits] != 'x') break;
    std::int64_t dim = 0;
    const char* first = rest.data();
    const auto error = std::from_chars(first, first + digits, dim).ec;
    if (error != std::errc{}) refuse_at(at_, "no tensor has so large a dim");
    dims.push_back(dim);
    at_ += digits + 1;
  }
  advance();
  return dims;
}

std::string Lexer::quoted(std::string_view what) {
  const Token token = expect(TokenKind::string, what);
  const std::string_view inside = token.text.substr(1, token.text.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  std::string all;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      all += inside[i];
      continue;
    }
    const std::string_view escape = inside.substr(i + 1, 2);
    if (escape.size() == 2 && is_hex(escape[0]) && is_hex(escape[1])) {
      int byte = 0;
      const char* first = escape.data();
      std::from_chars(first, first + 2, byte, 16);
      all += static_cast<char>(byte);
      i += 2;
    } else if (!escape.empty() && std::string_view("nt\"\\").find(escape[0]) != std::string_view::npos) {
      all += escape[0] == 'n' ? '\n' : escape[0] == 't' ? '\t' : escape[0];
      ++i;
    } else {
      refuse_at(token.at + 1 + i, "a string has no such escape; write two hex digits behind \\");
    }
  }
  return all;
}

std::string Lexer::symbol(std::string_view what) {
  if (takes("@")) return quoted(what);
  return std::string(expect(TokenKind::symbol, what).text.substr(1));
}

std::string_view Lexer::text_to_bracket() {
  static constexpr std::string_view openers = "<[({", closers = ">])}";
  const std::size_t begin = next_.at;
  std::string open = "<";
  while (true) {
    if (sees(TokenKind::end)) refuse("'>' at the end of the attribute");
    const Token token = next_;
    if (token.kind == TokenKind::mark && token.text.size() == 1) {
      if (openers.find(token.text[0]) != std::string_view::npos) open += token.text[0];
      const std::size_t closer = closers.find(token.text[0]);
      if (closer != std::string_view::npos) {
        if (open.back() != openers[closer]) refuse(fmt::format("'{}'", closers[openers.find(open.back())]));
        open.pop_back();
      }
    }
    if (open.empty()) {
      advance();
      return text_.substr(begin, token.at - begin);
    }
    advance();
  }
}

void Lexer::skip_location() {
  if (!takes("loc")) return;
  expect("(");
  for (int open = 1; open > 0;) {
    if (sees(TokenKind::end)) refuse("')' at the end of the location");
    if (sees("(")) ++open;
    if (sees(")")) --open;
    advance();
  }
}

}  // namespace tutti::mlir
