// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// x: [d0, .., dn] -> [e0, .., en], e = ceil((limit - start) / stride); every state passes.
/// Cost: none; whoever needs dense memory copies once.
/// Source: StableHLO slice; jax.lax.slice.
struct Slice {
  static constexpr std::string_view name = "slice";
  static constexpr About about{"Every stride-th element of each dim from a start on, before a limit.",
                               "slice_in_dims, slice_in_dim, index_in_dim"};

  std::vector<std::int64_t> start, limit, stride;  // one per dim

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Slice&) const = default;
};
static_assert(complete<Slice>());

}  // namespace tutti::ops

namespace tutti {

/// The elements start, start + stride, .. before limit along each dim.
struct SliceOptions {
  std::vector<std::int64_t> start, limit;  // one per dim
  std::vector<std::int64_t> stride = {};   // empty: 1 each
};
/// jax.lax.slice. x itself if it keeps everything.
/// Throws T005 unless 0 <= start <= limit <= size (slice_c3) and stride > 0 (slice_c4), T006 unless each has
/// one entry per dim (slice_c2).
Array slice_in_dims(const Operand& x, const SliceOptions& options);
/// jax.lax.slice_in_dim: the elements start, start + stride, .. before `limit` along one dim; negative
/// `start`, `limit` and `dim` count from the end. No limit: up to the end.
Array slice_in_dim(const Operand& x, std::int64_t start, std::optional<std::int64_t> limit,
                   std::int64_t stride = 1, int dim = 0);
/// jax.lax.index_in_dim without the dim: x[index] along `dim`. Throws T005 for an index out of range.
Array index_in_dim(const Operand& x, std::int64_t index, int dim = 0);

}  // namespace tutti
