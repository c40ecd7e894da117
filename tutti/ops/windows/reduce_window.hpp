// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/windows/window_options.hpp"

namespace tutti::ops {

/// Fold the elements of each window that moves over an array: the sum, the largest or the smallest, each
/// printed under its own name. A window without elements gives 0, the smallest or the largest value.
/// x: [.., d, ..] -> [.., windows along d, ..]. Sums pass every state; the others refuse U.
/// NaN propagates, -0 < +0; max of bool is "any", min "all". Sums of f16 and bf16 are rounded once.
/// Cost: reads each window. The bits depend on the shape only.
/// The derivative of a largest element is that of the first of equal ones, as in JAX.
/// Source: StableHLO reduce_window; jax.lax.reduce_window.
struct ReduceWindow {
  ReduceKind kind;  // sum, max or min
  WindowsAlong windows;

  std::string_view name() const;
  About about() const;
  Mixing mixing() const { return kind == ReduceKind::sum ? Mixing::linear : Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const ReduceWindow&) const = default;
};
static_assert(complete<ReduceWindow>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.reduce_window by addition: the sum of each window. `window` has a size for each dim.
/// Throws T006 unless window, strides, dilations and padding have one entry per dim (reduce_window_c4, _c6,
/// _c8, _c10, _c12), T005 unless sizes, strides and dilations are positive (_c5, _c7, _c9, _c11) and for
/// padding that takes away more than there is (_c12), T007 for bool.
Array reduce_window_sum(const Operand& x, const std::vector<std::int64_t>& window,
                        const ReduceWindowOptions& options = {});
/// The largest element of each window, or the smallest; of bool "any", or "all". NaN propagates.
/// Throws T006, T005, T007 for complex numbers, T004 for an unreduced sum.
Array reduce_window_max(const Operand& x, const std::vector<std::int64_t>& window,
                        const ReduceWindowOptions& options = {});
Array reduce_window_min(const Operand& x, const std::vector<std::int64_t>& window,
                        const ReduceWindowOptions& options = {});

}  // namespace tutti
