// SPDX-License-Identifier: Apache-2.0
// Bounds on the difference between results of ops and those of a peer: DESIGN 5, and the measured errors of
// functions.
#pragma once

#include "tests/support/differences.hpp"
#include "tutti/control/all_ops.hpp"

namespace tutti {

enum class Peer { xla, interpreter };

/// The bounds of program_of(row.examples). Moves and integers: 0. Sums: the roundings of both sides.
/// Functions: the measured errors of both sides. Keeps references to `program` and to `ours`, the results of
/// our runtime.
Bounds bounds_for(const OpRow& row, const Program& program, const Values& inputs, const Values& ours,
                  Peer peer);

/// The ops that only move elements, with all their bits.
std::vector<OpRow> rows_that_move();

}  // namespace tutti
