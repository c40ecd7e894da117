// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// 0, 1, 2, .. along `dim`, the same along all other dims; invariant.
/// () -> `shape`.
/// Source: StableHLO iota; jax.lax.broadcasted_iota.
struct Iota {
  static constexpr std::string_view name = "iota";
  static constexpr About about{"0, 1, 2, .. along a dim, the same along all others.", "iota, arange"};

  DType dtype;
  Shape shape;
  Dim dim;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"iota depends on nothing that one could differentiate by"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Iota&) const = default;
};
static_assert(complete<Iota>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.broadcasted_iota. A negative `dim` counts from the end.
/// Throws T006 if `dim` is out of range, T007 for bool.
Array iota(const Shape& shape, DType dtype, int dim, Where where = Where::here());
[[deprecated("write the shape first: iota(shape, dtype, dim)")]]  //
Array iota(DType dtype, const Shape& shape, int dim, Where where = Where::here());
/// 0, 1, .. n-1; outside of a trace finished data. Throws T005 for a negative n, T007 for bool.
Array arange(std::int64_t n, DType dtype, Where where = Where::here());

}  // namespace tutti
