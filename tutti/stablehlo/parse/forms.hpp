// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {

/// One row per operation: how the text behind its name reads. Null: it is only written in generic form.
struct Parser::Form {
  std::string_view name;
  void (Parser::*read)(OperationText&);
  std::string_view detail = {};  // the attribute that the form names by a word of its own, or the whole name
};

}  // namespace tutti::stablehlo
