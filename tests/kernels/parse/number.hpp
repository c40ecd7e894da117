// SPDX-License-Identifier: Apache-2.0
// Reads numbers of MLIR's text. Their meaning depends on the type that follows them.
#pragma once

#include <string>
#include <variant>

#include "tests/kernels/parse/kernel_text.hpp"
#include "tutti/kernels/ir/value_type.hpp"

namespace tutti::kernels {

/// A number as written, before its type is known: "-1.5e+00", "7", "0x7F80", "true".
struct NumberText {
  std::string digits;  // with its sign
  std::size_t at = 0;

  bool is_decimal() const { return digits.find('.') != std::string::npos; }
};

NumberText read_number(Lexer& in);

/// Converts a number to the type's elements. Integers are signed. A decimal number is rounded to f64 and then
/// to the nearest float of the type, as in MLIR; a hexadecimal number is the bits of a float. Refuses a
/// number that the type does not have.
std::variant<std::int64_t, double> value_in(const Lexer& in, const NumberText& number, const ValueType& type);

}  // namespace tutti::kernels
