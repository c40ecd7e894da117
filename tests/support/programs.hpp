// SPDX-License-Identifier: Apache-2.0
// Programs as users write them, small, on the example mesh: what the laws try besides single ops.
#pragma once

#include <string>
#include <vector>

#include "tests/support/values.hpp"

namespace tutti {

struct NamedProgram {
  std::string name;
  Program program;                       // its first output is a float
  std::vector<ExampleOperand> operands;  // of its inputs
};

/// A step of training with data and model parallel parts, softmax and layer norm over devices, sharded
/// optimiser state, attention over gathered keys, borders of shard_map, ..
const std::vector<NamedProgram>& composed_programs();

}  // namespace tutti
