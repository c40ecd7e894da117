// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/value_type.hpp"

namespace tutti::kernels {

/// Throws R001 with the line and column of `at`, and the line itself with a caret below.
[[noreturn]] void refuse_at(std::string_view text, std::size_t at, const std::string& message);

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

/// Reads MLIR's text token by token. Skips blanks and comments between tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return next_; }
  bool sees(TokenKind kind) const { return next_.kind == kind; }
  /// True if the next token is this word or mark.
  bool sees(std::string_view word) const;
  Token take();
  /// Takes the next token if it is this word or mark.
  bool takes(std::string_view word);
  void expect(std::string_view word);
  Token expect(TokenKind kind, std::string_view what);

  /// Reads an integer: "-3".
  std::int64_t integer(std::string_view what);
  /// Reads "<8x4x": the bracket, which is the next token, and the dims after it, which are no tokens.
  Dims dims_behind_bracket();
  /// Reads a string and returns its contents.
  std::string quoted(std::string_view what);
  /// Skips loc(..) if it comes next.
  void skip_location();

  /// Refuses the next token.
  [[noreturn]] void refuse(std::string_view expected) const;
  [[noreturn]] void refuse_at(std::size_t at, const std::string& message) const {
    kernels::refuse_at(text_, at, message);
  }

 private:
  void advance();
  void skip_blanks();
  std::size_t length_of_next(TokenKind& kind) const;

  std::string_view text_;
  std::size_t at_ = 0;  // the position after next_
  Token next_;
};

}  // namespace tutti::kernels
