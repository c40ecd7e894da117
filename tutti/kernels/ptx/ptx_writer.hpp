// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/kernels/ir/value_type.hpp"

namespace tutti::kernels {

/// Registers of PTX without a type: instructions say what the bits are.
enum class RegisterKind : std::uint8_t { predicate, b16, b32, b64 };
/// Values of 8 and 16 bits are in registers of 32, whose upper bits are undefined.
RegisterKind register_kind(const ValueType& type);

/// An integer as PTX writes it, for a register of 32 or 64 bits.
std::string literal(std::int64_t value, RegisterKind kind);

/// The instructions of one entry.
class PtxWriter {
 public:
  std::string fresh(RegisterKind kind);
  std::string fresh_label() { return fmt::format("L{}", ++labels_); }

  /// One instruction: "bra L1".
  void line(std::string_view instruction) { line_if("", instruction); }
  /// One instruction that only some threads run; an empty predicate: all.
  void line_if(std::string_view predicate, std::string_view instruction);
  /// The same with its own semicolon, and perhaps a comment after it.
  void access(std::string_view predicate, std::string_view text);
  void label(std::string_view name) { body_ += fmt::format("{}:\n", name); }
  /// "op fresh, operands.."; -> the fresh register
  std::string made(RegisterKind kind, std::string_view op, std::initializer_list<std::string_view> operands);

  /// Declarations of all registers, then the instructions.
  std::string text() const;

 private:
  std::array<int, 4> used_{};
  int labels_ = 0;
  std::string body_;
};

}  // namespace tutti::kernels
