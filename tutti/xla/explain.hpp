// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/watch/copies.hpp"
#include "tutti/xla/compile.hpp"

namespace tutti::xla {

/// Writes the text of explain() for a compiled program. `machine`: the description of its machine.
/// `prepared`: seconds spent on the module before XLA got it. `kept_bytes`: bytes of the copies of arguments
/// that the machine keeps.
std::string explained(const std::string& machine, const Compiled& compiled, double prepared,
                      const Copies& copies, std::int64_t kept_bytes);

}  // namespace tutti::xla
