// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/kernels/ir/value_type.hpp"

namespace tutti::kernels {

/// Kinds of PTX registers. Registers have no type; each instruction states the type of its operands.
enum class RegisterKind : std::uint8_t { predicate, b16, b32, b64 };
/// Returns the kind of register for a type. Values of 8 and 16 bits are in registers of 32 bits with
/// undefined upper bits.
RegisterKind register_kind(const ValueType& type);

/// Prints an integer as a PTX literal for a register of 32 or 64 bits.
std::string literal(std::int64_t value, RegisterKind kind);

/// Collects the instructions of one entry, and numbers its registers and labels.
class PtxWriter {
 public:
  /// The name of a register that is not used yet.
  std::string fresh(RegisterKind kind);
  /// A label that is not used yet.
  std::string fresh_label() { return "L" + std::to_string(++labels_); }

  /// Appends an instruction: "bra L1".
  void line(std::string_view instruction) { line_if("", instruction); }
  /// Appends an instruction that only threads with this predicate run; empty: all threads run it.
  void line_if(std::string_view predicate, std::string_view instruction);
  /// As line_if(), but `text` has its own semicolon, and may have a comment after the semicolon.
  void access(std::string_view predicate, std::string_view text);
  /// Appends a label.
  void label(std::string_view name) { body_ += std::string(name) + ":\n"; }
  /// Appends "op fresh, operands.." and returns the fresh register.
  std::string made(RegisterKind kind, std::string_view op, std::initializer_list<std::string_view> operands);

  /// Returns the declarations of all registers, then the instructions.
  std::string text() const;

 private:
  std::array<int, 4> used_{};
  int labels_ = 0;
  std::string body_;
};

}  // namespace tutti::kernels
