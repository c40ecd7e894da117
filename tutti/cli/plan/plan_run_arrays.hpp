// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tutti/devices/global_array.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// Element `index` of the whole in a run: different ones are different numbers, up to a billion.
std::int32_t value_at(std::int64_t index);
/// [terms, whole]: along dim 0 the terms of each element; their sum is its value.
Tensor terms_of_the_whole(const Shape& whole, int terms);
/// Throws I001 if a device's values, without padding, are not those of its block. `values`: the first of
/// them, in row-major order of a buffer of shape `stored`.
void check_block(const std::int32_t* values, const Shape& stored, int position, const Sharding& sharding,
                 const Shape& whole, std::string_view when);

/// Runs a plan whose blocks are uneven, or which leads to another mesh: finished arrays go from sharding to
/// sharding.
void check_by_moving_arrays(const ReshardPlan& plan);

}  // namespace tutti::cli
