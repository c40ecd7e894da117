// SPDX-License-Identifier: Apache-2.0
// The order in which einsum multiplies its operands, two at a time.
#pragma once

#include <optional>
#include <vector>

#include "tutti/functions/products/einsum_labels.hpp"

namespace tutti {

/// Two values to multiply. Terms are the values 0, 1, ..; then each pair makes the next one.
struct LabelPair {
  int lhs, rhs;
};

/// The pairs of an order with the fewest operations, and among those with the smallest products, for up to 8
/// terms. For more terms always the pair that shrinks most.
/// terms: each label once in a term; none that only one term and not the result has.
std::vector<LabelPair> cheapest_pairs(const std::vector<Labels>& terms, const Labels& result,
                                      const LabelSizes& sizes);

/// 2 for each index that a product of two terms runs over, or 1 if it sums nothing.
double operations_of(const Labels& lhs, const Labels& rhs, const Labels& kept, const LabelSizes& sizes);
double elements(const Labels& labels, const LabelSizes& sizes);

/// Values that are not multiplied yet.
using LiveLabels = std::vector<std::optional<Labels>>;
/// The labels of a pair that its product keeps: the result or another live value has them.
Labels kept_of(LabelPair pair, const LiveLabels& live, const Labels& result);
/// The product takes the place of its factors.
void multiply(LiveLabels& live, LabelPair pair, const Labels& product);

}  // namespace tutti
