// SPDX-License-Identifier: Apache-2.0
// Regions of scalars: reducers and comparators. What one computes is found by trying it on numbers.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/tensor/loops/element_fn.hpp"

namespace tutti {

/// A constant of outside that a region reads; none if it is no known number.
using OuterNumbers = std::function<std::optional<double>(stablehlo::Value)>;

/// The number in all elements of a constant; none for other operations and constants, and for complex numbers
/// with an imaginary part.
std::optional<double> number_of_constant(const stablehlo::Operation& op);

/// The results of a region for these arguments. Bools are 0 and 1. None if the region has an operation that
/// is not known here.
std::optional<std::vector<double>> tried(const stablehlo::Block& region, const std::vector<double>& arguments,
                                         const OuterNumbers& outer);

/// The kind of a region that is one operation on its two arguments.
std::optional<ReduceKind> reducer_of(const stablehlo::Block& region);

/// True if the region returns its second argument: a scatter replaces.
bool returns_second(const stablehlo::Block& region);

/// max: the region takes (value, index) twice, and returns those of the larger value; of equal ones the
/// smaller index; a NaN is larger than all. min: the same of the smaller value.
std::optional<ReduceKind> arg_reducer_of(const stablehlo::Block& region, bool of_floats,
                                         const OuterNumbers& outer);

/// How a comparator orders: its first `keys` pairs of arguments decide, ascending or descending.
struct SortOrder {
  int keys;
  bool is_descending;
  bool is_total = false;  // tells -0 from 0, and places NaN
};
/// None: another order.
std::optional<SortOrder> sort_order_of(const stablehlo::Block& region, bool of_floats,
                                       const OuterNumbers& outer);

}  // namespace tutti
