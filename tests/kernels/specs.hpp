// SPDX-License-Identifier: Apache-2.0
// Specs for tests, and indices of elements computed from coordinates, independent of canonical.hpp.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {

inline Groups one_group(int world) {
  std::vector<int> group(static_cast<std::size_t>(world));
  std::iota(group.begin(), group.end(), 0);
  return {group};
}

/// The spec of a collective in its first variant.
inline CollectiveSpec spec_for(CollectiveKind kind, DType dtype, Shape shape, int world, Dim dim = {}) {
  CollectiveSpec spec{.kind = kind, .dtype = dtype, .shape = std::move(shape), .dim = dim, .world = world};
  spec.groups = one_group(world);
  if (is_reduction(kind)) spec.reduction = ReduceKind::sum;
  if (kind == CollectiveKind::all_reduce) spec.variant = Variant::one_shot;
  return spec;
}
inline CollectiveSpec gather_of(DType dtype, Shape shape, int world, Dim dim = {}) {
  return spec_for(CollectiveKind::all_gather, dtype, std::move(shape), world, dim);
}

using Coordinates = std::vector<std::int64_t>;
inline Coordinates coordinates(const Shape& shape, std::int64_t index) {
  Coordinates at(static_cast<std::size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    at[static_cast<std::size_t>(i)] = index % shape[i];
    index /= shape[i];
  }
  return at;
}
inline std::int64_t index_of(const Shape& shape, const Coordinates& at) {
  std::int64_t index = 0;
  for (int i = 0; i < shape.rank(); ++i) index = index * shape[i] + at[static_cast<std::size_t>(i)];
  return index;
}

}  // namespace tutti::kernels
