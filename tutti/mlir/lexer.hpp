// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/mlir/text_place.hpp"

namespace tutti::mlir {

enum class TokenKind : std::uint8_t {
  end,
  word,    // tt.load, i32
  value,   // %17, %c0_i32
  symbol,  // @name
  block,   // ^bb0
  hash,    // #loc3; #1 of %0#1
  number,  // 8, 0x7F80, 1.5e+00; without sign
  string,  // "..", as it stands
  mark,    // "->", or one character
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::size_t at = 0;  // where it begins
};

/// A token for a message: in quotes; a long one is cut.
std::string shown(const Token& token);

/// The text that a lexer reads, and what its errors are.
struct TextToRead {
  std::string_view text;
  const char* name;  // "step.mlir"; lives as long as the process
  Code code;         // of errors
  /// The lexer stops at this byte; messages still show the whole line.
  std::size_t end = std::string_view::npos;
};

/// Reads MLIR's text token by token. Skips blanks and comments between tokens.
class Lexer {
 public:
  explicit Lexer(const TextToRead& source) : source_(source), text_(source.text.substr(0, source.end)) {
    advance();
  }

  const Token& peek() const { return next_; }
  bool sees(TokenKind kind) const { return next_.kind == kind; }
  /// True if the next token is this word or mark.
  bool sees(std::string_view word) const {
    return (next_.kind == TokenKind::word || next_.kind == TokenKind::mark) && next_.text == word;
  }
  Token take() {
    const Token token = next_;
    advance();
    return token;
  }
  /// Takes the next token if it is this word or mark.
  bool takes(std::string_view word) {
    const bool is_next = sees(word);
    if (is_next) advance();
    return is_next;
  }
  void expect(std::string_view word);
  Token expect(TokenKind kind, std::string_view what);

  /// Reads an integer: "-3".
  std::int64_t integer(std::string_view what);
  /// Reads "<8x?x": the bracket, which is the next token, and the dims after it, which are no tokens. A dim
  /// of unknown size, "?", is unknown_dim.
  std::vector<std::int64_t> dims_behind_bracket();
  static constexpr std::int64_t unknown_dim = -1;
  /// Reads a string and returns its contents.
  std::string quoted(std::string_view what);
  /// Reads "@name" or "@\"odd name\"", and returns the name.
  std::string symbol(std::string_view what);
  /// Reads "..>" up to the bracket that closes one that is open. Returns the text in between as it stands.
  std::string_view text_to_bracket();
  /// Skips loc(..) if it comes next.
  void skip_location();

  /// Goes on behind `at`, a position in the text.
  void go_to(std::size_t at);
  /// The position behind the token that was taken last.
  std::size_t behind_last() const { return behind_last_; }
  std::string_view text() const { return text_; }
  const char* name() const { return source_.name; }

  /// Refuses the next token.
  [[noreturn]] void refuse(std::string_view expected) const;
  /// Throws an error with the line and column of `at`, and the line itself with a caret below.
  [[noreturn]] void refuse_at(std::size_t at, const std::string& message) const;
  Error error_at(std::size_t at, const std::string& message) const;
  Where where(std::size_t at) const;

 private:
  void advance();
  void skip_blanks();
  std::size_t length_of_next(TokenKind& kind) const;

  TextToRead source_;
  std::string_view text_;
  std::size_t at_ = 0;  // the position after next_
  std::size_t behind_last_ = 0;
  Token next_;
  mutable std::optional<TextPlaces> places_;  // made for the first error
};

}  // namespace tutti::mlir
