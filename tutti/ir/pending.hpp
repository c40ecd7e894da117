// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// Checks that every pending value is used exactly once, by an op that takes it, in the function that started
/// it. Throws T016, with the lines of the start and of the uses, for one that is never used, used twice, or
/// an output.
void require_finished(const Program& program);

}  // namespace tutti
