// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/einsum_plan.hpp"

#include <algorithm>

namespace tutti {
namespace {

constexpr std::size_t most_tried = 7;  // 2^7 = 128 ways to place lhs and rhs

struct Plan {
  std::vector<EinsumStep> steps;
  double copied = 0;  // elements
};

EinsumStep step_of(LabelPair pair, const LiveLabels& live, const Labels& result) {
  const Labels& lhs = *live[static_cast<std::size_t>(pair.lhs)];
  const Labels& rhs = *live[static_cast<std::size_t>(pair.rhs)];
  Labels kept = kept_of(pair, live, result), shared = common(lhs, rhs);
  EinsumStep step{pair, common(shared, kept), without(shared, kept), {}};
  step.result = joined(step.batch, joined(common(lhs, kept), common(rhs, kept)));
  bool is_same = kept.size() == result.size() && without(kept, result).empty();
  if (step.contract.empty() && is_same) step.result = result;
  return step;
}

bool lies_in_order(const Labels& labels, const Labels& wanted, const LabelSizes& sizes) {
  std::vector<int> places;
  for (Label label : wanted)
    if (sizes.at(label) != 1) places.push_back(place_of(labels, label));
  return std::ranges::is_sorted(places);
}

// dot_general copies an operand whose dims are not runs of batch, free, contracted or batch, contracted,
// free.
double copied_of(const Labels& labels, const EinsumStep& step, const LabelSizes& sizes) {
  Labels free = without(without(labels, step.batch), step.contract);
  bool lies_well = lies_in_order(labels, joined(joined(step.batch, free), step.contract), sizes) ||
                   lies_in_order(labels, joined(joined(step.batch, step.contract), free), sizes);
  return lies_well ? 0 : elements(labels, sizes);
}

// turned: the pairs whose lhs and rhs change places.
Plan plan_of(const std::vector<LabelPair>& pairs, const std::vector<bool>& turned,
             const std::vector<Labels>& terms, const Labels& result, const LabelSizes& sizes) {
  LiveLabels live(terms.begin(), terms.end());
  Plan plan;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    LabelPair pair = pairs[i];
    if (turned[i]) std::swap(pair.lhs, pair.rhs);
    EinsumStep step = step_of(pair, live, result);
    if (!step.contract.empty())
      for (int factor : {pair.lhs, pair.rhs})
        plan.copied += copied_of(*live[static_cast<std::size_t>(factor)], step, sizes);
    multiply(live, pair, step.result);
    plan.steps.push_back(std::move(step));
  }
  const Labels& last = *live.back();
  if (!lies_in_order(last, result, sizes)) plan.copied += elements(last, sizes);
  return plan;
}

}  // namespace

std::vector<EinsumStep> plan_einsum(const std::vector<Labels>& terms, const Labels& result,
                                    const LabelSizes& sizes) {
  std::vector<LabelPair> pairs = cheapest_pairs(terms, result, sizes);
  std::vector<bool> turned(pairs.size());
  Plan best = plan_of(pairs, turned, terms, result, sizes);
  auto keep_if_better = [&](const std::vector<bool>& other) {
    Plan plan = plan_of(pairs, other, terms, result, sizes);
    if (plan.copied >= best.copied) return;
    best = std::move(plan);
    turned = other;
  };
  if (pairs.size() <= most_tried) {
    for (unsigned bits = 1; bits < 1U << pairs.size() && best.copied > 0; ++bits) {
      std::vector<bool> other(pairs.size());
      for (std::size_t i = 0; i < pairs.size(); ++i) other[i] = (bits >> i & 1U) != 0;
      keep_if_better(other);
    }
  } else {
    for (std::size_t i = 0; i < pairs.size() && best.copied > 0; ++i) {
      std::vector<bool> other = turned;
      other[i] = !other[i];
      keep_if_better(other);
    }
  }
  return best.steps;
}

}  // namespace tutti
