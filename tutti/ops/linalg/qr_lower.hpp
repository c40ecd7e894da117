// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/emitter.hpp"

namespace tutti::ops {

/// qr in StableHLO, which has no such op: Householder's reflections of one column after the other, with
/// LAPACK's signs. Cost: about m n operations per column, and m times the columns of q.
Lowered lower_qr(Emitter& emitter, stablehlo::Value a);

}  // namespace tutti::ops
