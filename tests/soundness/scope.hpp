// SPDX-License-Identifier: Apache-2.0
// Where an action of a generated program stands: the values in its reach, and what it may do with them.
#pragma once

#include <utility>

#include "tests/soundness/draft.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::generated {

/// All elements of `values` are in [-1, 1], so that nothing overflows; every action keeps that. (U: the terms
/// are.)
struct Scope {
  Mesh mesh;
  DType dtype;
  Axes bound;                // axes with a name here
  Axes open;                 // those along which all devices come by: collectives over them are allowed
  int depth = 0;             // of blocks
  bool in_gradient = false;  // loops of an unknown number of trips have none
  Arrays values = {};        // floats of `dtype`; never empty

  /// The n-th last value.
  const Array& pick(int n) const {
    return values[values.size() - 1 - static_cast<std::size_t>(n) % values.size()];
  }
  /// One or more open axes, in any order; there must be one.
  Axes pick_open(int n) const;
};

/// The scope of a block: two values of `outer`, and the arguments. Recorded in the current builder, the
/// block's own.
Scope inside(const Scope& outer, const Action& action, const Axes& decided, const Arrays& arguments);

/// Writes the actions; each adds values to the scope.
void write_actions(Scope& scope, const Actions& actions);

// One group of kinds each.
Array local_value(const Scope& scope, const Action& action);
Array collective_value(const Scope& scope, const Action& action);
Arrays block_values(const Scope& scope, const Action& action);

/// The number that values are compared with: no program computes exactly this, so predicates do not hang on
/// roundings.
inline constexpr double threshold = 0.0137;

/// A whole number, i32, of shape [] or [n], and what it is made of decides along which axes it varies.
Array whole_number(const Scope& scope, const Array& x, int n);

// --- Values as an operand must be --------------------------------------------------------------------------

/// The elements of x, as many of them and as often as the shape has room for.
Array fitted(const Array& x, const Shape& shape);
/// x with `rank` dims or more.
Array at_least(const Array& x, int rank);
/// x, or a part of it that is small.
Array kept_small(const Array& x);
/// The first element, as a scalar.
Array first_element(const Array& x);

/// Terms of sums become their mean over the devices: U becomes I along `axes`; along all.
Array settled(const Array& x, const Axes& axes);
Array settled(const Array& x);
/// V along `axes`.
Array varying_along(const Array& x, const Axes& axes);
/// I or R along `axes`.
Array equal_along(const Array& x, const Axes& axes);
/// U along `axes`.
Array terms_along(const Array& x, const Axes& axes);
/// In states that can take the place of the pattern's: U where it is U and nowhere else.
Array as_summed_as(const Array& x, const Array& pattern);

/// x, and y in its shape, as the operands of a sum, of a product, and of anything else.
using Two = std::pair<Array, Array>;
Two as_summands(const Array& x, const Array& y, int n);
Two as_factors(Array x, Array y);
Two as_any(const Array& x, const Array& y);

/// Axes along which x is stored per device: V and U.
Axes stored_axes(const Array& x);

}  // namespace tutti::generated
