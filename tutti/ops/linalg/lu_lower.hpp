// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/emitter.hpp"

namespace tutti::ops {

/// lu in StableHLO, which has no such op: a loop over columns. It chooses LAPACK's pivots.
Lowered lower_lu(Emitter& emitter, stablehlo::Value a);

}  // namespace tutti::ops
