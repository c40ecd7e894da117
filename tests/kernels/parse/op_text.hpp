// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/parse/attribute.hpp"

namespace tutti::kernels {

/// An op as either form of text states it, not yet checked. Attributes have the names and numbers of the
/// generic form.
struct OpText {
  std::string name;
  std::size_t at = 0;
  std::vector<Value> operands;
  std::vector<ValueType> operand_types;  // as stated, for all operands or only the first ones
  std::vector<ValueType> result_types;   // as stated; meaningful if states_results
  bool states_results = false;
  Attributes attributes;
  std::vector<Region> regions;
};

/// Removes the hint {tt.divisibility = 16 : i32}, or dense<16>, and returns it. `at` is for errors.
std::optional<int> divisibility_in(const Lexer& in, Attributes& attributes, std::size_t at);

/// Finds the op's kind and removes the kind's attributes. Refuses an unknown op or attribute by name.
OpKind kind_of(const Lexer& in, OpText& op);

}  // namespace tutti::kernels
