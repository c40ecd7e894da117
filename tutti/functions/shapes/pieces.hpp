// SPDX-License-Identifier: Apache-2.0
// Arrays cut into pieces along a dim, and put together. (concatenate, stack: ops/concatenate.)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <variant>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"

namespace tutti::internal {

/// Where a dim is cut: into n pieces, or before some indices: {2, 5} gives [0, 2), [2, 5) and [5, size).
class Cuts {
 public:
  template <std::integral N>
  Cuts(N pieces) : is_(static_cast<std::int64_t>(pieces)) {}
  Cuts(std::initializer_list<std::int64_t> indices) : is_(std::vector<std::int64_t>(indices)) {}
  Cuts(std::vector<std::int64_t> indices) : is_(std::move(indices)) {}

  /// The number of pieces; null if there are indices.
  const std::int64_t* pieces() const { return std::get_if<std::int64_t>(&is_); }
  /// The indices to cut before; null if there is a number of pieces.
  const std::vector<std::int64_t>* indices() const { return std::get_if<std::vector<std::int64_t>>(&is_); }

 private:
  std::variant<std::int64_t, std::vector<std::int64_t>> is_;
};

}  // namespace tutti::internal

namespace tutti {

/// numpy.split: `split(x, 3)` pieces of one size, or cut at indices, `split(x, {2, 5}, 1)`. Indices are those
/// of a slice:
/// negative ones count from the end, too large ones are the end, and a piece that would end before it begins
/// is empty.
/// Cost: none; a piece is a view. Throws T005 if the dim does not divide by the number of pieces, T006 for
/// the dim.
Arrays split(const Operand& x, const internal::Cuts& cuts, int dim = 0);
/// numpy.array_split: the same; of a dim that does not divide, the first pieces have one element more.
Arrays array_split(const Operand& x, const internal::Cuts& cuts, int dim = 0);

/// numpy.hstack: side by side, along dim 1; vectors and scalars along dim 0. Throws T005, T007.
Array hstack(const Arrays& arrays, Where where = Where::here());
/// numpy.vstack: one below the other, along dim 0; a vector is a row. Throws T005, T007.
Array vstack(const Arrays& arrays, Where where = Where::here());

}  // namespace tutti
