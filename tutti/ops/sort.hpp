// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The elements in ascending order along a dim, and what is carried along. The first operands are keys: the
/// first one decides, equal elements leave it to the next.
/// Stable: equal keys keep their order. -0 and 0 are equal, NaNs are equal and last.
/// keys: [.., d, ..], carried: of the same shape and any dtypes -> all of them; U is refused.
/// Cost: of n elements n log2(n) comparisons; of 512 and more a few passes by digits of the keys.
/// Source: StableHLO sort; jax.lax.sort with num_keys.
struct Sort {
  static constexpr std::string_view name = "sort";
  static constexpr About about{
      "The elements in ascending order along a dim; others are carried along in the order of the keys.",
      "sort, argsort, lexsort, unique, median, quantile"};

  Dim dim;
  int num_keys = 1;

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"the order depends on the values, so it is not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Sort&) const = default;
};
static_assert(complete<Sort>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.sort of one array. A negative `dim` counts from the end.
/// Throws T006 if `dim` is out of range (sort_c4), T004 for an unreduced sum.
Array sort(const Operand& x, int dim = -1);
/// Options of sort of several arrays.
struct SortOptions {
  int num_keys = 1;  // the first operands are keys; the first key decides, the next ones break ties
};
/// jax.lax.sort of several arrays: keys first, then what they carry along. Throws also T005 if shapes differ
/// (sort_c2), nothing is given (sort_c1) or num_keys is not among 1 and the number of arrays (sort_c5).
Arrays sort(const Arrays& keys_and_carried, int dim = -1, const SortOptions& options = {},
            Where where = Where::here());
/// jax.numpy.argsort: the indices, i32, in the order of their elements. Throws T007 for more than 2^31
/// elements.
Array argsort(const Operand& x, int dim = -1);

}  // namespace tutti
