// SPDX-License-Identifier: Apache-2.0
// Numbers of MLIR's text, whose meaning depends on the type that follows them.
#pragma once

#include <string>
#include <variant>

#include "tutti/kernels/parse/lexer.hpp"

namespace tutti::kernels {

/// "-1.5e+00", "7", "0x7F80", "true".
struct NumberText {
  std::string digits;  // with its sign
  std::size_t at = 0;

  bool is_decimal() const { return digits.find('.') != std::string::npos; }
};

NumberText read_number(Lexer& in);

/// The number in this type's elements. Integers are signed. A decimal number is rounded to the nearest of a float type,
/// through f64, as MLIR does; a hexadecimal one is a float's bits. Refuses what is not of the type.
std::variant<std::int64_t, double> value_in(const Lexer& in, const NumberText& number, const ValueType& type);

}  // namespace tutti::kernels
