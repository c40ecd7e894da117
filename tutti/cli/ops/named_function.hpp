// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/functions/made_of_ops.hpp"
#include "tutti/ir/program.hpp"

namespace tutti::cli {

/// Functions of functions, each on an example: grad, vmap, jacfwd, ..
const std::vector<FunctionRow>& all_transforms();

/// The function made of ops, or the transform, of this name. Null if there is none.
const FunctionRow* named_function(const std::string& name);

/// The program of a function's example.
Program program_of(const FunctionRow& row);
/// The names of the ops of a program and of its sub-programs, each once, in the order of their first use.
std::vector<std::string> ops_of(const Program& program);

}  // namespace tutti::cli
