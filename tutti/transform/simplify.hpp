// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// Without the equations that no output depends on, unless they have an effect. Inputs stay.
Program without_dead_code(Program program);

/// Without the ops that are there for their effect alone, those of sub-programs as well: for what is computed
/// again.
Program without_effects(Program program);

/// Without the equations that repeat an earlier one on the same operands; the earlier one's place stays.
/// Equations with an effect all stay.
Program without_common_subexpressions(Program program);

/// The program with casts of repeated values made before they are repeated: cast(broadcast_in_dim(x)) becomes
/// broadcast_in_dim(cast(x)), so that the gradient sums what was repeated first and communicates the small
/// rest.
Program with_early_casts(const Program& program);

/// The op with its sub-programs changed.
Op with_changed_programs(const Op& op, const std::function<Program(const Program&)>& change);

/// The program without the places of its equations, those of sub-programs as well: for texts that do not
/// change with them.
Program without_places(Program program);

/// Replaces each Enter and Leave by the moves that it stands for, also in sub-programs, unless
/// `stays(equation)`.
Program with_borders_as_moves(const Program& program, const std::function<bool(const Equation&)>& stays);

}  // namespace tutti
