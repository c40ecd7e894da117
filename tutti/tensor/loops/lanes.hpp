// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// The dtypes that vector loops are compiled for, on each instruction set. The other dtypes have loops that
/// the compiler vectorises (scalar_loops.hpp), or are computed as one of these dtypes.
enum class Lanes : std::uint8_t { boolean, i32, i64, f32, f64 };

std::optional<Lanes> lanes_of(DType dtype);
/// Lanes for functions that ignore the sign: u32 as i32, u64 as i64.
std::optional<Lanes> lanes_of_bits(DType dtype);
std::optional<Lanes> lanes_of_fold(ReduceKind kind, DType dtype);

}  // namespace tutti
