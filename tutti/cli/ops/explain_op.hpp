// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/cli/words/options.hpp"

namespace tutti::cli {

/// Prints what an op does, or that which the function `name` records. False, and nothing, if there is none.
bool explain_op(const std::string& name, const ExplainOptions& options);

/// Prints what a function made of ops records, or a transform. False, and nothing, if there is none of this
/// name.
bool explain_function(const std::string& name, const ExplainOptions& options);

}  // namespace tutti::cli
