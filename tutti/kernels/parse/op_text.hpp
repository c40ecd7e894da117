// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/kernels/parse/attribute.hpp"

namespace tutti::kernels {

/// An op as either text says it, before anybody knows whether it is right. Attributes have the names and numbers of the
/// generic text.
struct OpText {
  std::string name;
  std::size_t at = 0;
  std::vector<Value> operands;
  std::vector<ValueType> operand_types;  // as stated: all of them, or of the first ones
  std::vector<ValueType> result_types;   // as stated, if states_results
  bool states_results = false;
  Attributes attributes;
  std::vector<Region> regions;
};

/// The hint {tt.divisibility = 16 : i32}, also as dense<16>, of what stands at `at`; it is taken out.
std::optional<int> divisibility_in(const Lexer& in, Attributes& attributes, std::size_t at);

/// Takes the attributes that the op has. Refuses an op or an attribute that kernels do not have, by name.
OpKind kind_of(const Lexer& in, OpText& op);

}  // namespace tutti::kernels
