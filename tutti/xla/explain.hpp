// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/watch/copies.hpp"
#include "tutti/xla/compile.hpp"

namespace tutti::xla {

/// What explain() says of a program on a machine. `machine`: its description. `prepared`: the seconds until XLA got the
/// module. `kept_bytes`: of the machine's copies of arguments.
std::string explained(const std::string& machine, const Compiled& compiled, double prepared,
                      const Copies& copies, std::int64_t kept_bytes);

}  // namespace tutti::xla
