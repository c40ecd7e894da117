// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/window_dims.hpp"

namespace tutti::ops {

/// An array with some windows, one per index vector, combined with updates or replaced. A window that does
/// not lie inside is left out, whole, as XLA does. Where several meet, they follow in row-major order of the
/// indices: of replacements the last one stays.
/// x: [..], indices: [..] of i32 or i64, updates: the windows, see GatherDims -> like x. Sums and
/// replacements pass every state of x and the updates; their indices are I or R, and where they vary, all do.
/// The other kinds refuse U.
/// The elements that are a maximum or minimum share its derivative. That of a product by the updates is
/// refused unless indices are unique; a sum needs no such promise.
/// Cost: a pass over the updates, and a copy of x unless x is updated in place (a carry of a loop, a donated
/// argument).
/// Source: StableHLO scatter; jax.lax.scatter, scatter_add, scatter_mul, scatter_min, scatter_max in mode
/// drop.
struct Scatter {
  ScatterKind kind;
  GatherDims dims;
  bool unique_indices = false;  // no two windows meet: derivatives rely on it, results do not

  std::string_view name() const;
  About about() const;
  Mixing mixing() const { return Mixing::own; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Scatter&) const = default;
};
static_assert(complete<Scatter>());

/// Throws T007 for a dtype that has no sum, product or order.
void require_taken(ScatterKind kind, Type x);

}  // namespace tutti::ops

namespace tutti {

/// Options of scatter, scatter_add, scatter_multiply, scatter_min and scatter_max.
struct ScatterOptions {
  GatherMode mode = GatherMode::fill_or_drop;
  bool unique_indices = false;  // promises that no two windows meet
};
/// jax.lax.scatter, scatter_add, scatter_mul, scatter_min, scatter_max. The updates may be a number.
/// Throws T005, T006 (scatter_c2 to _c22), T007 for indices that are not integers and a sum or product of
/// bool, T004.
Array scatter(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
              const ScatterOptions& options = {});
Array scatter_add(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                  const ScatterOptions& options = {});
Array scatter_multiply(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                       const ScatterOptions& options = {});
Array scatter_min(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                  const ScatterOptions& options = {});
Array scatter_max(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                  const ScatterOptions& options = {});

}  // namespace tutti
