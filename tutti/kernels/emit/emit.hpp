// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// The kernels of a manifest: one for each of its entries, in order, with the manifest's arguments.
/// All kernels have the same phases: publish own tiles, barrier, read the peers' tiles. Tile t is the business of program
/// t modulo the grid on every rank, so the barrier of block b is between the blocks b of all ranks.
/// Throws R001 if the manifest is not valid.
std::vector<Function> emit(const Manifest& manifest);

}  // namespace tutti::kernels
