// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tutti/ir/program.hpp"

namespace tutti {

/// What futures promise: every pending value is used exactly once, in the function that started it. Throws T016, with the
/// lines of the start and of the uses, for one that is never used, used twice, or among `outputs`. Looks at the values
/// that the equations from `first` on make.
void require_finished(const Program& program, std::size_t first, std::span<const Var> outputs);
inline void require_finished(const Program& program) { require_finished(program, 0, program.outputs); }

}  // namespace tutti
