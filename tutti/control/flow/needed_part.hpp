// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// These outputs only, in this order, and what they need. Inputs stay. Unlike `with_outputs` it also takes
/// unused results, carries and operands from the loops and branches inside; a while loop makes as many
/// iterations as before.
Program needed_part(Program program, const std::vector<std::size_t>& outputs);

}  // namespace tutti
