// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// A window of an array that starts where scalars say, known at run time only; starts are first brought so
/// far that the window lies inside.
/// x: [d0, .., dn], n+1 starts: [] of i32 or i64 -> sizes. Every state of x passes; starts are I or R, and
/// where one varies, x does.
/// Cost: one copy of the window.
/// Source: StableHLO dynamic_slice; jax.lax.dynamic_slice.
struct DynamicSlice {
  static constexpr std::string_view name = "dynamic_slice";
  static constexpr About about{"A window of an array that starts where scalars say, known at run time only.",
                               "dynamic_slice, dynamic_slice_in_dim, dynamic_index_in_dim"};

  std::vector<std::int64_t> sizes;

  Mixing mixing() const { return Mixing::own; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const DynamicSlice&) const = default;
};
static_assert(complete<DynamicSlice>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.dynamic_slice; starts are arrays or numbers, one per dim. Unlike there, negative ones do not count
/// from the end: they are brought to 0.
/// Throws T006 unless there is a start and a size per dim (dynamic_slice_c2), T005 for a size that is not in
/// the array (dynamic_slice_c4), T007 for starts that are not integers of one dtype (dynamic_slice_c3), T004.
Array dynamic_slice(const Operand& x, const std::vector<Operand>& starts,
                    const std::vector<std::int64_t>& sizes);
/// jax.lax.dynamic_slice_in_dim: x[.., start : start + size, ..] along `dim`; a negative start is brought to
/// 0.
Array dynamic_slice_in_dim(const Operand& x, const Operand& start, std::int64_t size, int dim = 0);
/// jax.lax.dynamic_index_in_dim without the dim: x[.., index, ..]; a negative index is brought to 0.
Array dynamic_index_in_dim(const Operand& x, const Operand& index, int dim = 0);

}  // namespace tutti
