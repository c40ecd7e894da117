// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/parse/parse.hpp"

#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {

Parsed parse(std::string_view text, const char* name) {
  Parser parser(text, name);
  parser.read();
  return {parser.take_module(), parser.take_errors()};
}

}  // namespace tutti::stablehlo
