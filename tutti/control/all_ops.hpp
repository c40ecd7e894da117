// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/ir/example.hpp"

namespace tutti::ops {

/// One op by the name it prints, as the laws and `tutti rules` see it.
struct OpRow {
  std::string name;
  std::vector<Example> examples;
};

/// Every op of the library, families (unary, binary, ..) one row per function; in order of name.
const std::vector<OpRow>& all_ops();

}  // namespace tutti::ops
