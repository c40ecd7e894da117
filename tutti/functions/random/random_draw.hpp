// SPDX-License-Identifier: Apache-2.0
// Shared code of random functions: the block of a draw that a device has, and the elements themselves.
#pragma once

#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/functions/random/random.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// The words of a key. Throws T005 unless there are two, T007 unless they are u32.
Array words_of(const Key& key);

/// The sharding that the option .block gives an array of this type, whole or a block. None without it.
/// Throws T001 outside of shard_map and for an axis that is not bound, T013.
std::optional<Sharding> sharding_of(const std::optional<P>& block, Type whole_or_block);
/// The shape of this device's block of `whole`. Throws T005 for a dim that does not split.
Shape block_shape(const Shape& whole, const std::optional<Sharding>& sharding);
/// The shape of the whole array, if each device has a block of shape `block`.
Shape whole_shape(const Shape& block, const std::optional<Sharding>& sharding);

/// This device's block of the draw of shape `whole`.
Array drawn(const Key& key, const Shape& whole, DType dtype, const std::optional<Sharding>& sharding,
            const RandomRange& range = {});
/// The same, in [low, high). Throws T007 unless `dtype` is a float.
Array drawn_between(const Key& key, const Shape& whole, DType dtype, const Operand& low, const Operand& high,
                    const std::optional<Sharding>& sharding);

}  // namespace tutti
