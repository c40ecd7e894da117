// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/stablehlo/tree.hpp"

namespace tutti::stablehlo {

/// A text as a tree. With errors the tree has what could be read.
struct Parsed {
  Module module;
  std::vector<Error> errors;  // S001, each with its place, the line, and a caret; at most 20
};

/// Reads StableHLO in MLIR's text: operations in generic or pretty form, of StableHLO, chlo, func and
/// Shardy's sdy; also of earlier versions. Reads syntax and the types that the text itself states, no
/// meaning. `name` is that of the text in messages, and lives as long as the process.
Parsed parse(std::string_view text, const char* name);

}  // namespace tutti::stablehlo
