// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"

namespace tutti {

/// Runs the rules of every example, values unread: tangents have the types of the results, cotangents the
/// dual types of the operands (where the op is linear, or linear in each), batched results gain dim 0. Says
/// where not.
std::vector<std::string> mistyped_rules(const std::vector<Example>& examples);

}  // namespace tutti
