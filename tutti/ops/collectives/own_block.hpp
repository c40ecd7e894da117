// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti {

/// x: [.., n, .., d, ..], or tiled [.., n*d, ..], I -> [.., d, ..] V over the axes; n = their joint size.
/// The transpose of all_gather to I. Cost: none; a view of the operand.
/// Throws T006 if dim is out of range (own_block_c1), T005 if it does not split, T004 for a value that is not
/// I.
struct OwnBlock {
  static constexpr std::string_view name = "own_block";
  static constexpr About about{
      "Of a value that is equal on all devices, each device keeps the block at its own position.", ""};

  Axes axes;  // row-major in the order given
  Dim dim;    // of the operand
  Stacking stacking = Stacking::new_dim;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const OwnBlock&) const = default;
};
static_assert(complete<OwnBlock>());

Array own_block(const Array& x, const Axes& axes, Dim dim, Stacking stacking);

}  // namespace tutti
