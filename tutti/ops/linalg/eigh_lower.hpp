// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/emitter.hpp"

namespace tutti::ops {

/// eigh in StableHLO, which has no such op: Jacobi's rotations of n/2 pairs at once, to the precision of the
/// dtype. Signs or phases of the vectors are not LAPACK's.
/// Cost: about 12 n^3 operations per sweep over all pairs; 64 rows take 8 sweeps, 512 rows 10.
Lowered lower_eigh(Emitter& emitter, stablehlo::Value a);

}  // namespace tutti::ops
