// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// Writes the kernels of a manifest: one per entry, in order, with the manifest's arguments.
/// Most kernels publish their own tiles, pass a barrier and read the peers' tiles; Variant lists the others.
/// Program t modulo the grid handles tile t on every rank, so a barrier joins only blocks of the same number.
/// Throws R001 if the manifest is not valid.
std::vector<Function> emit(const Manifest& manifest);

}  // namespace tutti::kernels
