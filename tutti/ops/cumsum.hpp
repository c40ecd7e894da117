// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti {

/// Running sums along a dim: of all elements up to each, itself among them; backward: of all from each on.
/// x: [.., d, ..] of numbers -> the same; every state passes.
/// Cost: one pass. The bits depend on the shape only: each sum has a fixed tree.
/// Source: jax.lax.cumsum, by StableHLO reduce_window.
struct Cumsum {
  static constexpr std::string_view name = "cumsum";
  static constexpr About about{"Running sums along a dim: of all elements up to each, itself among them.",
                               "cumsum, packed_offsets"};

  Dim dim;
  Order order = Order::forward;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Cumsum&) const = default;
};
static_assert(complete<Cumsum>());

/// jax.lax.cumsum; Order::backward is its reverse=True. A negative `dim` counts from the end.
/// Throws T006 if `dim` is out of range (cumsum_c1), T007 for bool (cumsum_c2).
Array cumsum(const Operand& x, int dim = 0, Order order = Order::forward);

}  // namespace tutti
