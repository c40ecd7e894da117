// SPDX-License-Identifier: Apache-2.0
// The shapes and addresses of a call's arrays, for specs with and without a kernel.
#pragma once

#include <span>
#include <string>

#include "tutti/kernels/gpu/driver_types.hpp"
#include "tutti/kernels/spec/canonical.hpp"

namespace tutti::kernels {

/// The shapes of a rank's operand and result.
Shape operand_shape(const CollectiveSpec& spec);
Shape result_shape(const CollectiveSpec& spec);
/// A rank's operand and result as [outer, blocks, inner], in bytes. One block if ranks do not split the
/// array.
BlockedArray operand_bytes(const CollectiveSpec& spec);
BlockedArray result_bytes(const CollectiveSpec& spec);

/// Names the defect of a spec that neither a kernel nor a library could run: an invalid dim, size or pair, or
/// a missing reduction. Empty if the spec is valid.
std::string what_is_wrong(const CollectiveSpec& spec);

/// Checks the addresses of a call. Inputs may overlap each other. An output of all_reduce or ppermute may be
/// its rank's input; an input of all_gather may be its rank's block of the output. Neither holds for push.
/// Throws T015 if a rank has no address, an address is no multiple of `alignment`, or an output overlaps
/// another array.
void require_addresses(const CollectiveSpec& spec, int alignment, std::span<const DeviceAddress> inputs,
                       std::span<const DeviceAddress> outputs);

}  // namespace tutti::kernels
