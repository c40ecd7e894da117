// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti::ops {

/// Where the largest or smallest element along a dim stands: the index of the first NaN, else of the first
/// extreme.
/// x: [.., d, ..], d > 0 -> [.., ..] of i32 or i64; U is refused.
/// Cost: one pass.
/// Source: jax.lax.argmax, argmin, by a StableHLO reduce of pairs.
struct ArgReduce {
  Extreme extreme;
  Dim dim;
  DType index_dtype = DType::i32;

  std::string_view name() const;
  About about() const;
  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  /// The same of one long line in pieces: workers share the extremes of the pieces; then the best piece is
  /// searched. Null for other operands.
  SubProgram in_pieces(const Types& operands) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"an index has no cotangent"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const ArgReduce&) const = default;
};
static_assert(complete<ArgReduce>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.argmax and argmin. A negative `dim` counts from the end. To derivatives the index is a constant.
/// Throws T006 if `dim` is out of range (argmax_c1), T005 if there is nothing along it (argmax_c2), T007
/// unless the indices are i32 or i64 (argmax_c3), for i32 where the dim has more than 2^31 elements
/// (argmax_c4), T004 for an unreduced sum.
Array argmax(const Operand& x, int dim = 0, DType index_dtype = DType::i32);
Array argmin(const Operand& x, int dim = 0, DType index_dtype = DType::i32);

}  // namespace tutti
