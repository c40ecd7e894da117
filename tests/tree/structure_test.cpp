// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/structure.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace {

template <class Expected, class Found>
std::string difference(const Expected& expected, const Found& found) {
  return refusal_of(
      [&] { require_same_structure("call", tree::structure_of(expected), tree::structure_of(found)); });
}

TEST(structure, is_the_same_whatever_the_arrays_are) {
  std::pair<Array, std::vector<Array>> x{Tensor::scalar(1.0F), {Array()}},
      y{Array(), {Tensor({2, 3}, DType::i32)}};
  EXPECT_EQ(tree::structure_of(x), tree::structure_of(y));
  EXPECT_EQ(difference(x, y), "accepted");
}

TEST(structure, counts_its_leaves) {
  EXPECT_EQ(leaf_count(tree::structure_of(std::pair{Array(), std::vector<Array>(3)})), 4U);
  EXPECT_EQ(leaf_count(tree::structure_of(std::vector<Array>{})), 0U);
}

TEST(structures, differ_in_their_lengths) {
  EXPECT_EQ(difference(std::vector<Array>(3), std::vector<Array>(2)),
            "T012: call: the trees differ: found 2 parts ([0], [1]), expected 3 parts ([0], [1], [2]); hand "
            "in the same structure");
}

TEST(structures, differ_in_their_depth) {
  EXPECT_EQ(
      difference(std::vector<Array>(1), Array()),
      "T012: call: the trees differ: found an array, expected 1 part ([0]); hand in the same structure");
}

TEST(structures, differ_in_their_keys) {
  std::map<std::string, Array> w{{"w", Array()}}, b{{"b", Array()}};
  EXPECT_EQ(difference(std::pair{Array(), w}, std::pair{Array(), b}),
            "T012: call: the trees differ at .1: found 1 part ([\"b\"]), expected 1 part ([\"w\"]); hand in "
            "the same structure");
}

TEST(structures, differ_in_what_is_there) {
  std::optional<Array> there = Array(), missing;
  EXPECT_EQ(
      difference(std::pair{Array(), there}, std::pair{Array(), missing}),
      "T012: call: the trees differ at .1: found nothing, expected 1 part (*); hand in the same structure");
}

TEST(structures, that_differ_deep_down_name_the_place) {
  std::vector<std::pair<Array, std::vector<Array>>> x{{Array(), {Array()}}, {Array(), {Array(), Array()}}};
  auto y = x;
  y[1].second.pop_back();
  EXPECT_EQ(difference(x, y), "T012: call: the trees differ at [1].1: found 1 part ([0]), expected 2 parts "
                              "([0], [1]); hand in the same structure");
}

}  // namespace
}  // namespace tutti
