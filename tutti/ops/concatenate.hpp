// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: [.., m, ..], y: [.., n, ..], .. -> [.., m + n + .., ..]; every state passes, of all operands together.
/// Cost: one copy.
/// Source: StableHLO concatenate; jax.lax.concatenate.
struct Concatenate {
  static constexpr std::string_view name = "concatenate";
  static constexpr About about{"The operands one after the other along a dim.", "concatenate, stack"};

  Dim dim;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Concatenate&) const = default;
};
static_assert(complete<Concatenate>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.concatenate; of one array: itself. Negative dims count from the end.
/// Throws T005 for no arrays (concatenate_c3) and where the other sizes differ (concatenate_c2), T006 for a
/// dim out of range (concatenate_c4), T007 if dtypes differ (concatenate_c1).
Array concatenate(const Arrays& arrays, int dim = 0, Where where = Where::here());
/// numpy.stack: along a new dim, which stands at `dim` of the result. Throws T005, T006, T007.
Array stack(const Arrays& arrays, int dim = 0, Where where = Where::here());

}  // namespace tutti
