// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"

namespace tutti {

/// The matrix and the right side of an equation, with equal dims in front: b is [.., n, k].
struct MatrixEquation {
  Array a, b;
  bool is_vector;  // b was [n]

  /// The solution in the shape that the user expects.
  Array shaped(const Array& x) const;
};

/// a: [.., n, n]; b: [n], or [.., n, k] with dims in front that broadcast. Throws T005 where sizes do not
/// fit, T007 for dtypes that differ or are none of LAPACK's.
MatrixEquation equation_of(const Array& a, const Array& b);

/// x of a x = b for a[permutation] = l u.
Array solved_by_lu(const Array& lu, const Array& permutation, const Array& b);

}  // namespace tutti
