// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/emitter.hpp"

namespace tutti::ops {

/// eigh in StableHLO, which has no such op: Jacobi's rotations of n/2 pairs at once, until no element off the
/// diagonal exceeds the largest one times epsilon. Signs or phases of the vectors are not LAPACK's. NaN after
/// 64 sweeps over all pairs.
/// Cost: about 12 n^3 operations per sweep. Random matrices of 512 rows take 9 sweeps in f32 and 12 in f64;
/// many equal or very small eigenvalues take up to three times as many.
Lowered lower_eigh(Emitter& emitter, stablehlo::Value a);

}  // namespace tutti::ops
