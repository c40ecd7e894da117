// SPDX-License-Identifier: Apache-2.0
// The products that an einsum is made of, and how their dims lie.
#pragma once

#include <vector>

#include "tutti/functions/products/einsum_order.hpp"

namespace tutti {

/// The product of two values: terms are the values 0, 1, ..; then each step makes the next one.
struct EinsumStep {
  LabelPair pair;
  Labels batch;     // in both factors and in the product; in the order of lhs
  Labels contract;  // in both, summed; in the order of lhs. None: a product element by element
  Labels result;    // batch, free dims of lhs, free dims of rhs; element by element: any order
};

/// Steps that multiply all terms in the cheapest order. The last result has the labels of `result`, perhaps
/// in another order. lhs and rhs are chosen so that the fewest elements are copied by a dot_general or
/// transposed at the end.
std::vector<EinsumStep> plan_einsum(const std::vector<Labels>& terms, const Labels& result,
                                    const LabelSizes& sizes);

}  // namespace tutti
