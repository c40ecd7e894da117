// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/nested.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

struct Layer {
  Array w, b;
};
struct Tied {
  auto tie() { return std::tie(a_, b_); }
  Array a_, b_;
};

Arrays leaves(int n) {
  Arrays all;
  for (int i = 0; i < n; ++i) all.push_back(Tensor::scalar(static_cast<float>(i)));
  return all;
}

template <class T>
std::vector<double> values(const T& t) {
  std::vector<double> all;
  for (const Array& array : tree::flatten(t)) all.push_back(array.item());
  return all;
}

TEST(nested, has_a_tree_in_the_place_of_each_leaf_in_order) {
  const Array x = Tensor::scalar(0.0F);
  const std::pair inner{x, x};
  using Inner = std::pair<Array, Array>;
  std::tuple<std::vector<Inner>, std::map<std::string, Inner>, std::array<Inner, 2>, std::optional<Inner>,
             std::optional<Inner>>
      found = tree::nested(std::tuple{std::vector{x, x}, std::map<std::string, Array>{{"a", x}},
                                      std::array{x, x}, std::optional(x), std::optional<Array>()},
                           inner, leaves(12));
  EXPECT_EQ(values(found), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(std::get<2>(found)[1].first.item(), 8);
  EXPECT_FALSE(std::get<4>(found));
}

TEST(nested, has_a_tuple_for_a_struct) {
  const Array x = Tensor::scalar(0.0F);
  std::tuple<Layer, Layer> plain = tree::nested(Layer{x, x}, Layer{x, x}, leaves(4));
  EXPECT_EQ(std::get<1>(plain).w.item(), 2);
  std::tuple<Layer, Layer> tied = tree::nested(Tied{x, x}, Layer{x, x}, leaves(4));
  EXPECT_EQ(std::get<1>(tied).b.item(), 3);
}

TEST(nested, is_like_the_outer_tree_if_the_inner_one_is_an_array) {
  const Array x = Tensor::scalar(0.0F);
  Layer found = tree::nested(Layer{x, x}, x, leaves(2));
  EXPECT_EQ(found.b.item(), 1);
}

}  // namespace
}  // namespace tutti
