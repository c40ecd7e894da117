// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/window_dims.hpp"

namespace tutti::ops {

/// Windows of an array, one per index vector; each start is first brought so far that its window lies inside.
/// x: [..], indices: [..] of i32 or i64 -> the windows, see GatherDims. Every state of x passes; indices are
/// I or R, and where they vary, x does.
/// Cost: one copy of the windows.
/// Source: StableHLO gather; jax.lax.gather in mode clip.
struct Gather {
  static constexpr std::string_view name = "gather";
  static constexpr About about{"Windows of an array, one per index vector; each lies inside of it.",
                               "gather, take, take_along_axis"};

  GatherDims dims;
  WindowSizes sizes;

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

  bool operator==(const Gather&) const = default;
};
static_assert(complete<Gather>());

}  // namespace tutti::ops

namespace tutti {

/// The treatment of a window that does not lie inside: jax.lax.GatherScatterMode.
enum class GatherMode {
  clip,          // its start is brought inside
  fill_or_drop,  // gather gives NaN (signed integers: the smallest value, unsigned: the largest, bool: true);
                 // scatter leaves it out, whole
};

/// jax.lax.gather. Throws T005, T006 (gather_c1 to _c21), T007 for indices that are not integers, T004.
Array gather(const Operand& x, const Array& indices, const GatherDims& dims, const WindowSizes& sizes,
             GatherMode mode = GatherMode::clip);
/// jax.numpy.take: x[.., indices, ..] along `dim`. Negative indices count from the end. Indices out of range
/// read the nearest element, unless `mode` is fill_or_drop, which is JAX's default.
/// x: [.., d, ..], indices: [i..] -> [.., i.., ..]. Throws T006 for the dim, T005 to take from nothing, T007,
/// T004.
Array take(const Operand& x, const Operand& indices, int dim, GatherMode mode = GatherMode::clip);
/// jax.numpy.take_along_axis: result[.., i, ..] = x[.., indices[.., i, ..], ..] along `dim`; the other sizes
/// are equal.
/// Indices are those of take. Throws T005, T006, T007, T004.
Array take_along_axis(const Operand& x, const Array& indices, int dim, GatherMode mode = GatherMode::clip);

}  // namespace tutti
