// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/einsum_order.hpp"

#include <bit>
#include <limits>
#include <tuple>

namespace tutti {
namespace {

constexpr std::size_t most_tried = 8;  // 3^8 = 6,561 pairs of subsets: a few milliseconds

using Subset = unsigned;  // bit i: term i

// The best order for every subset of the terms, from those of two parts of it.
class Orders {
 public:
  Orders(const std::vector<Labels>& terms, const Labels& result, const LabelSizes& sizes)
      : terms_(terms), sizes_(sizes), best_(std::size_t{1} << terms.size()) {
    for (Subset s = 1; s < best_.size(); ++s) best_[s].kept = kept(s, result);
    for (Subset s = 1; s < best_.size(); ++s)
      if (std::popcount(s) > 1) find(s);
  }

  std::vector<LabelPair> pairs() {
    std::vector<LabelPair> pairs;
    value_of(static_cast<Subset>(best_.size() - 1), pairs);
    return pairs;
  }

 private:
  struct Best {
    Labels kept;  // of the product of the subset
    double operations = 0, stored = 0;
    Subset part = 0;  // one factor; the other has the other terms
  };

  Labels kept(Subset s, const Labels& result) const {
    Labels inside, outside = result;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      Labels& side = (s >> i & 1U) != 0 ? inside : outside;
      side = joined(side, terms_[i]);
    }
    return common(inside, outside);
  }

  void find(Subset s) {
    Best& best = best_[s];
    best.operations = best.stored = std::numeric_limits<double>::infinity();
    Subset lowest = s & ~(s - 1);
    for (Subset part = (s - 1) & s; part != 0; part = (part - 1) & s) {
      if ((part & lowest) == 0) continue;  // the same two parts in the other order
      const Best &a = best_[part], &b = best_[s & ~part];
      double operations = a.operations + b.operations + operations_of(a.kept, b.kept, best.kept, sizes_);
      double stored = a.stored + b.stored + elements(best.kept, sizes_);
      if (std::tie(operations, stored) < std::tie(best.operations, best.stored)) {
        best.operations = operations;
        best.stored = stored;
        best.part = part;
      }
    }
  }

  int value_of(Subset s, std::vector<LabelPair>& pairs) {
    if (std::popcount(s) == 1) return std::countr_zero(s);
    int lhs = value_of(best_[s].part, pairs);
    int rhs = value_of(s & ~best_[s].part, pairs);
    pairs.push_back({lhs, rhs});
    return static_cast<int>(terms_.size() + pairs.size()) - 1;
  }

  const std::vector<Labels>& terms_;
  const LabelSizes& sizes_;
  std::vector<Best> best_;
};

struct Candidate {
  LabelPair pair;
  Labels product;
  double growth, operations;

  bool operator<(const Candidate& other) const {
    return std::tie(growth, operations) < std::tie(other.growth, other.operations);
  }
};

Candidate candidate(const LiveLabels& live, LabelPair pair, const Labels& result, const LabelSizes& sizes) {
  const Labels& lhs = *live[static_cast<std::size_t>(pair.lhs)];
  const Labels& rhs = *live[static_cast<std::size_t>(pair.rhs)];
  Labels product = kept_of(pair, live, result);
  double growth = elements(product, sizes) - elements(lhs, sizes) - elements(rhs, sizes);
  double operations = operations_of(lhs, rhs, product, sizes);
  return {pair, std::move(product), growth, operations};
}

std::vector<LabelPair> greedy_pairs(const std::vector<Labels>& terms, const Labels& result,
                                    const LabelSizes& sizes) {
  LiveLabels live(terms.begin(), terms.end());
  std::vector<LabelPair> pairs;
  while (pairs.size() + 1 < terms.size()) {
    std::vector<int> values;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (live[i]) values.push_back(static_cast<int>(i));
    std::optional<Candidate> best;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        Candidate next = candidate(live, {values[i], values[j]}, result, sizes);
        if (!best || next < *best) best = std::move(next);
      }
    multiply(live, best->pair, best->product);
    pairs.push_back(best->pair);
  }
  return pairs;
}

}  // namespace

std::vector<LabelPair> cheapest_pairs(const std::vector<Labels>& terms, const Labels& result,
                                      const LabelSizes& sizes) {
  if (terms.size() <= most_tried) return Orders(terms, result, sizes).pairs();
  return greedy_pairs(terms, result, sizes);
}

double operations_of(const Labels& lhs, const Labels& rhs, const Labels& kept, const LabelSizes& sizes) {
  Labels all = joined(lhs, rhs);
  return elements(all, sizes) * (kept.size() < all.size() ? 2 : 1);
}

double elements(const Labels& labels, const LabelSizes& sizes) {
  double n = 1;
  for (Label label : labels) n *= static_cast<double>(sizes.at(label));
  return n;
}

Labels kept_of(LabelPair pair, const LiveLabels& live, const Labels& result) {
  auto lhs = static_cast<std::size_t>(pair.lhs), rhs = static_cast<std::size_t>(pair.rhs);
  Labels outside = result;
  for (std::size_t i = 0; i < live.size(); ++i)
    if (live[i] && i != lhs && i != rhs) outside = joined(outside, *live[i]);
  return common(joined(*live[lhs], *live[rhs]), outside);
}

void multiply(LiveLabels& live, LabelPair pair, const Labels& product) {
  live[static_cast<std::size_t>(pair.lhs)].reset();
  live[static_cast<std::size_t>(pair.rhs)].reset();
  live.emplace_back(product);
}

}  // namespace tutti
