// SPDX-License-Identifier: Apache-2.0
// Users never hold a pending value, so tests apply a start and its done together.
#pragma once

#include "tutti/control/all_ops.hpp"
#include "tutti/ir/array.hpp"

namespace tutti {

/// All ops. The examples of Done, whose operands are pending, begin with their Start.
std::vector<OpRow> tried_ops();
/// The results of the op on these operands; if it is a start, what its Done makes of them.
Arrays finished(const Op& op, const Arrays& operands, Arrays results);

}  // namespace tutti
