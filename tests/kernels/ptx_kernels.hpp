// SPDX-License-Identifier: Apache-2.0
// The kernels that the tests of PTX run and assemble.
#pragma once

#include <functional>
#include <span>

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// Every collective, variant and encoding; packets, which have no barrier, in one encoding. Under
/// sanitizers one in four.
void for_all_variants(const std::function<void(CollectiveKind, Variant, Encoding)>& f);
/// One dtype per way of holding elements: by width for movement, by arithmetic for reductions.
std::span<const DType> dtypes_of(CollectiveKind kind);
/// A ppermute has a chain of pairs, so that its first rank receives nothing.
CollectiveSpec variant_of(CollectiveKind kind, Variant variant, DType dtype, Shape shape, int world);

/// The kernel of a spec with `warps` warps, `unroll` vectors per thread and at most two blocks.
Manifest small_manifest(const CollectiveSpec& spec, Encoding encoding, int warps = 1, int unroll = 1);

}  // namespace tutti::kernels
