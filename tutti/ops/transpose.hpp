// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The dims in another order: dim i of the result is dim permutation[i] of the operand.
/// x: [d0, .., dn] -> [d(permutation[0]), .., d(permutation[n])]; every state passes.
/// Cost: none; whoever needs dense memory copies once.
/// Source: StableHLO transpose; numpy.transpose.
struct Transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr About about{"The dims in another order.", "transpose"};

  Dims permutation;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Transpose&) const = default;
};
static_assert(complete<Transpose>());

}  // namespace tutti::ops

namespace tutti {

/// numpy.transpose: all dims in reverse order. In a member of an op write tutti::transpose.
Array transpose(const Operand& x);
/// Dims in the order of `permutation`; x itself if that is their order. Negative dims count from the end.
/// Throws T006 unless it names every dim once (transpose_c2).
Array transpose(const Operand& x, const std::vector<int>& permutation);

}  // namespace tutti

namespace tutti::ops {

/// Dim `from` moves to stand at `to`; the others keep their order. x itself if they are equal.
Array move_dim(const Array& x, Dim from, Dim to);

}  // namespace tutti::ops
