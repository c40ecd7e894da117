// SPDX-License-Identifier: Apache-2.0
// Users never hold a pending value, so tests apply a start and its done together.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/control/wrapped/start.hpp"

namespace tutti {

/// All ops that this build can run, and those of docs/write_your_own_op.md. The examples of Done, whose
/// operands are pending, begin with their Start.
std::vector<OpRow> tried_ops();
/// The same without the ops and the examples that refuse to be lowered.
std::vector<OpRow> lowered_ops();

}  // namespace tutti
