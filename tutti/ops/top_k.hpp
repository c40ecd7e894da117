// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The k largest elements along a dim, in descending order, and where they stand. Among equal elements the
/// first one comes first. NaNs are equal and come first; +0 comes before -0. (JAX has NaNs whose sign is set
/// last.) x: [.., d, ..] of all but complex numbers -> [.., k, ..], and the same of i32; U is refused.
/// Cost: one pass that skips blocks without a candidate; a sort where k > d / 4.
/// Source: jax.lax.top_k, by StableHLO sort.
struct TopK {
  static constexpr std::string_view name = "top_k";
  static constexpr About about{
      "The k largest elements along a dim, in descending order, and where they stand.", "top_k"};

  std::int64_t k;
  Dim dim;

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{
      "which elements are the largest depends on the values, so it is not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const TopK&) const = default;
};
static_assert(complete<TopK>());

}  // namespace tutti::ops

namespace tutti {

/// The result of top_k: the k largest elements, descending, and their indices, i32.
struct TopKResult {
  Array values, indices;
};
/// jax.lax.top_k. A negative `dim` counts from the end.
/// Throws T006 if `dim` is out of range (top_k_c1), T005 unless 0 <= k <= size (top_k_c2), T007 for complex
/// numbers and for more than 2^31 elements (top_k_c3), T004 for an unreduced sum.
TopKResult top_k(const Operand& x, std::int64_t k, int dim = -1);

}  // namespace tutti
