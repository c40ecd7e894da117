// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/einsum_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tutti {
namespace {

Labels labels(std::string_view text) { return {text.begin(), text.end()}; }

struct Problem {
  std::vector<Labels> terms;
  Labels result;
  LabelSizes sizes;
};

double operations_in_order(const Problem& problem, const std::vector<LabelPair>& pairs) {
  LiveLabels live(problem.terms.begin(), problem.terms.end());
  double operations = 0;
  for (LabelPair pair : pairs) {
    Labels kept = kept_of(pair, live, problem.result);
    operations += operations_of(*live[static_cast<std::size_t>(pair.lhs)],
                                *live[static_cast<std::size_t>(pair.rhs)], kept, problem.sizes);
    multiply(live, pair, kept);
  }
  return operations;
}

// The minimum over all orders: each time any pair of those that are left.
double fewest_operations(const Problem& problem, const LiveLabels& live) {
  std::vector<int> values;
  for (std::size_t i = 0; i < live.size(); ++i)
    if (live[i]) values.push_back(static_cast<int>(i));
  if (values.size() < 2) return 0;
  double fewest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      LabelPair pair{values[i], values[j]};
      Labels kept = kept_of(pair, live, problem.result);
      double own = operations_of(*live[static_cast<std::size_t>(pair.lhs)],
                                 *live[static_cast<std::size_t>(pair.rhs)], kept, problem.sizes);
      LiveLabels next = live;
      multiply(next, pair, kept);
      fewest = std::min(fewest, own + fewest_operations(problem, next));
    }
  return fewest;
}

// Each label is in two terms at least, or in one and in the result.
Problem random_problem(unsigned seed, int terms) {
  auto next = [&seed](unsigned n) { return (seed = seed * 1664525U + 1013904223U) / 65536U % n; };
  Problem problem;
  problem.terms.resize(static_cast<std::size_t>(terms));
  for (Label label = 'a'; label < 'a' + terms + 2; ++label) {
    problem.sizes[label] = 1 + next(9);
    auto first = next(static_cast<unsigned>(terms)), second = next(static_cast<unsigned>(terms));
    problem.terms[first].push_back(label);
    if (second != first) problem.terms[second].push_back(label);
    if (second == first || next(4) == 0) problem.result.push_back(label);
  }
  return problem;
}

TEST(einsum_order, is_the_cheapest_of_all) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem problem = random_problem(seed, 2 + static_cast<int>(seed % 5));
    LiveLabels live(problem.terms.begin(), problem.terms.end());
    std::vector<LabelPair> pairs = cheapest_pairs(problem.terms, problem.result, problem.sizes);
    EXPECT_EQ(pairs.size(), problem.terms.size() - 1);
    EXPECT_EQ(operations_in_order(problem, pairs), fewest_operations(problem, live)) << "seed " << seed;
  }
}

TEST(einsum_order, of_a_chain_begins_where_it_is_narrow) {
  Problem chain{{labels("ij"), labels("jk"), labels("kl")},
                labels("il"),
                {{'i', 100}, {'j', 100}, {'k', 100}, {'l', 1}}};
  std::vector<LabelPair> pairs = cheapest_pairs(chain.terms, chain.result, chain.sizes);
  EXPECT_EQ(pairs[0].lhs, 1);
  EXPECT_EQ(pairs[0].rhs, 2);
  EXPECT_EQ(operations_in_order(chain, pairs), 2 * 100 * 100 + 2 * 100 * 100);
}

TEST(einsum_order, of_many_terms_is_at_most_that_from_left_to_right) {
  Problem chain;
  for (int i = 0; i < 12; ++i) {
    chain.terms.push_back({'a' + i, 'a' + i + 1});
    chain.sizes['a' + i] = i % 2 == 0 ? 2 : 30;
  }
  chain.sizes['a' + 12] = 2;
  chain.result = {'a', 'a' + 12};
  std::vector<LabelPair> pairs = cheapest_pairs(chain.terms, chain.result, chain.sizes), from_left{{0, 1}};
  for (int i = 2; i < 12; ++i) from_left.push_back({12 + i - 2, i});
  EXPECT_EQ(pairs.size(), 11U);
  EXPECT_LE(operations_in_order(chain, pairs), operations_in_order(chain, from_left));
}

TEST(einsum_plan, turns_a_product_so_that_its_result_lies_right) {
  std::vector<EinsumStep> steps =
      plan_einsum({labels("ij"), labels("jk")}, labels("ki"), {{'i', 2}, {'j', 3}, {'k', 4}});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].pair.lhs, 1);
  EXPECT_EQ(steps[0].contract, labels("j"));
  EXPECT_EQ(steps[0].result, labels("ki"));
}

TEST(einsum_plan, of_one_term_has_no_steps) {
  EXPECT_TRUE(plan_einsum({labels("ij")}, labels("ji"), {{'i', 2}, {'j', 3}}).empty());
}

}  // namespace
}  // namespace tutti
