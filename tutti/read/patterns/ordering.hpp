// SPDX-License-Identifier: Apache-2.0
// Regions that compare their arguments with each other: comparators of sorts, reducers of argmax. Nothing
// else may stand in them. So what one decides follows from the order of its arguments alone, and is found by
// trying it on numbers in each order.
#pragma once

#include <functional>
#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/tensor/loops/element_fn.hpp"

namespace tutti {

/// The number of a constant of outside that a region reads; none if it is not known.
using OuterNumbers = std::function<std::optional<double>(stablehlo::Value)>;

/// max: the region takes (value, index) twice, and returns those of the larger value; of equal ones the
/// first. A NaN is larger than all. min: the same of the smaller value.
std::optional<ReduceKind> arg_reducer_of(const stablehlo::Block& region, const OuterNumbers& outer);

/// How a comparator orders: its first `keys` pairs of arguments decide, ascending or descending.
struct SortOrder {
  int keys;
  bool is_descending;
  bool is_total = false;  // tells -0 from 0, and places NaN
};
/// None: another order. A comparator of floats may leave open where NaN stands.
std::optional<SortOrder> sort_order_of(const stablehlo::Block& region, const OuterNumbers& outer);

}  // namespace tutti
