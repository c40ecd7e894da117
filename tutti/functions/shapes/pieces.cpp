// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/pieces.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/functions/shapes/shaping.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/slice.hpp"

namespace tutti {
namespace {

using Bounds = std::vector<std::int64_t>;  // of the pieces, from 0 to the size

Bounds equal_bounds(std::int64_t size, std::int64_t pieces) {
  Bounds bounds{0};
  for (std::int64_t i = 0; i < pieces; ++i)
    bounds.push_back(bounds.back() + size / pieces + (i < size % pieces ? 1 : 0));
  return bounds;
}

Bounds bounds_at(const Bounds& indices, std::int64_t size) {
  Bounds bounds{0};
  for (std::int64_t index : indices)
    bounds.push_back(std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size));
  bounds.push_back(size);
  return bounds;
}

Arrays cut(const Array& x, const Bounds& bounds, Dim dim) {
  Arrays pieces;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
    pieces.push_back(slice_in_dim(x, bounds[i], std::max(bounds[i], bounds[i + 1]), 1, dim.index));
  return pieces;
}

Arrays cut(const Array& x, const Cuts& cuts, Dim dim) {
  std::int64_t size = x.shape()[dim];
  if (cuts.indices()) return cut(x, bounds_at(*cuts.indices(), size), dim);
  require(*cuts.pieces() > 0, Code::shape, "{} pieces; cut into 1 at least", *cuts.pieces());
  return cut(x, equal_bounds(size, *cuts.pieces()), dim);
}

Arrays at_least(Array (*changed)(const Operand&), const Arrays& arrays) {
  Arrays result;
  for (const Array& x : arrays) result.push_back(changed(x));
  return result;
}

}  // namespace

Arrays split(const Operand& x, const Cuts& cuts, int dim) {
  return front_end("split", x.where(), [&] {
    Array array = as_array(x);
    Dim along = as_dim(dim, array.type());
    if (cuts.pieces() && *cuts.pieces() > 0)
      require(
          array.shape()[along] % *cuts.pieces() == 0, Code::shape,
          "dim {} of {} does not split into {} of one size; use array_split, or say where: split(x, {{2}})",
          along.index, array.type(), counted(*cuts.pieces(), "piece"));
    return cut(array, cuts, along);
  });
}

Arrays array_split(const Operand& x, const Cuts& cuts, int dim) {
  return front_end("array_split", x.where(), [&] {
    Array array = as_array(x);
    return cut(array, cuts, as_dim(dim, array.type()));
  });
}

Array hstack(const Arrays& arrays, Where where) {
  return front_end("hstack", where, [&] {
    Arrays all = at_least(atleast_1d, arrays);
    return concatenate(all, all.empty() || all[0].rank() == 1 ? 0 : 1);
  });
}

Array vstack(const Arrays& arrays, Where where) {
  return front_end("vstack", where, [&] { return concatenate(at_least(atleast_2d, arrays), 0); });
}

}  // namespace tutti
