// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/control/all_ops.hpp"

namespace tutti::cli {

/// The op of this name; else the ops that the function of this name records, in order of name.
/// Throws R002 for a name that is none, with the names that are most like it.
std::vector<const OpRow*> named_ops(const std::string& name);

}  // namespace tutti::cli
