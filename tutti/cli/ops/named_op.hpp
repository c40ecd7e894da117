// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/control/all_ops.hpp"

namespace tutti::cli {

/// The op of this name; else the ops that the function of this name records, in order of name. Empty if there
/// is none.
std::vector<const OpRow*> named_ops(const std::string& name);

/// True if an op has this name.
bool is_op(const std::string& name);

/// True if an op, a function or a class of ours has this name. Members have others.
bool is_ours(const std::string& name);

/// The names of ops, of their front ends, of functions made of ops and of transforms.
std::vector<std::string> names_of_ops();

}  // namespace tutti::cli
