// SPDX-License-Identifier: Apache-2.0
// The arrays of a call, also of specs that have no kernel.
#pragma once

#include <span>
#include <string>

#include "tutti/kernels/gpu/driver_types.hpp"
#include "tutti/kernels/spec/canonical.hpp"

namespace tutti::kernels {

/// What a rank gives and what it gets.
Shape operand_shape(const CollectiveSpec& spec);
Shape result_shape(const CollectiveSpec& spec);
/// The same as [outer, blocks, inner] in bytes. One block if the blocks of all ranks do not lie side by side.
BlockedArray operand_bytes(const CollectiveSpec& spec);
BlockedArray result_bytes(const CollectiveSpec& spec);

/// Why nothing can run it: a dim, a size or a pair that is none, a reduction that is missing. Empty: kernels or a library
/// can.
std::string what_is_wrong(const CollectiveSpec& spec);

/// Throws T015 unless there is an address for each rank, a multiple of `alignment`, and no array overlaps another one. An
/// output may be the operand: of all_reduce and ppermute all of it, of all_gather its own block; not with push.
void require_addresses(const CollectiveSpec& spec, int alignment, std::span<const DeviceAddress> inputs,
                       std::span<const DeviceAddress> outputs);

}  // namespace tutti::kernels
