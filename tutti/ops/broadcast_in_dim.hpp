// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: dim i becomes dim dims[i] of `to`, of the same size, or x has size 1 there; every state passes.
/// Cost: none; readers step by 0.
/// Source: StableHLO broadcast_in_dim.
struct BroadcastInDim {
  static constexpr std::string_view name = "broadcast_in_dim";
  static constexpr About about{"The operand repeated along new dims and along dims of size 1.",
                               "broadcast_in_dim, broadcast_to, expand_dims"};

  Shape to;
  Dims dims;  // one of `to` for each of the operand; in any order

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const BroadcastInDim&) const = default;
};
static_assert(complete<BroadcastInDim>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.broadcast_in_dim: dim i of x becomes dim dims[i] of the result; negative ones count from its end.
/// Throws T005, T006 (broadcast_in_dim_c2 to _c5).
Array broadcast_in_dim(const Operand& x, const Shape& to, const std::vector<int>& dims);
/// numpy.broadcast_to: dims count from the right. x itself if it has that shape. Throws T005.
Array broadcast_to(const Operand& x, const Shape& to);

/// NumPy's shape for two operands: dims count from the right; sizes are equal, or one is 1 or missing.
/// Throws T005.
Shape broadcast_shape(const Shape& a, const Shape& b);

}  // namespace tutti

namespace tutti::ops {

/// x repeated along new dims, which stand at `dims` of the result `to`: the shape before a reduction.
Array insert_dims(const Array& x, const Dims& dims, const Shape& to);
/// x repeated `size` times along a new dim that stands at `dim` of the result.
Array insert_dim(const Array& x, Dim dim, std::int64_t size);

}  // namespace tutti::ops

namespace tutti {

/// numpy.expand_dims: a new dim of size 1 at `dim` of the result. Throws T006.
Array expand_dims(const Operand& x, int dim);

}  // namespace tutti
