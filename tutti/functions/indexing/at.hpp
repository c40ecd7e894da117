// SPDX-License-Identifier: Apache-2.0
// Arrays with some elements changed: x.at(rows).add(updates), as jax.numpy's x.at[rows].add(updates).
#pragma once

#include <optional>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/index.hpp"

namespace tutti {

/// The treatment of elements at indices out of range. Negative indices that count from the end are in range.
enum class IndexMode {
  clip,  // the nearest element in range stands for it
  // Reading gives NaN (signed integers: the smallest value, unsigned: the largest, bool: true). Writing
  // drops.
  fill,
  drop,  // as fill
};

/// Options of the functions of x.at(..).
struct AtOptions {
  std::optional<IndexMode> mode = {};  // none: reading clips, writing drops
  bool unique_indices =
      false;  // promises that no two indices name one element: for the gradient of `multiply`
};

}  // namespace tutti

namespace tutti::internal {

/// The elements of an array that some indices name; see Array::at. Each function but `get` returns the whole
/// array, with these elements changed; nothing is changed in place. The updates broadcast to the shape of
/// x[indices]; a number takes the array's dtype. Updates of one element all count, and the last one of `set`
/// stays.
/// Cost: as of scatter; where no index is an array, as of dynamic_update_slice.
/// Throws T005 if the updates do not broadcast, T006 for a number out of range, T007 for masks, other dtypes,
/// and what has no sum, product or order, T004.
class At {
 public:
  At(Array x, std::vector<Index> indices) : x_(std::move(x)), indices_(std::move(indices)) {}
  template <class T>
  void operator=(const T&) && = delete;  // x.at(0) = 1 changes no array: x = x.at(0).set(1)

  /// The updates in the place of these elements: x.at(0).set(1) is x with ones in row 0.
  Array set(const Operand& updates, const AtOptions& options = {}) const;
  /// The sums of these elements and the updates.
  Array add(const Operand& updates, const AtOptions& options = {}) const;
  /// The products of these elements and the updates. With array indices, the derivative by the updates needs
  /// .unique_indices.
  Array multiply(const Operand& updates, const AtOptions& options = {}) const;
  /// The smaller one of each element and its updates.
  Array min(const Operand& updates, const AtOptions& options = {}) const;
  /// The larger one of each element and its updates.
  Array max(const Operand& updates, const AtOptions& options = {}) const;
  /// x[indices], with a mode.
  Array get(const AtOptions& options = {}) const;

 private:
  Array x_;
  std::vector<Index> indices_;
};

}  // namespace tutti::internal
