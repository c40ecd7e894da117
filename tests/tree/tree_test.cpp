// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/tree.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

// A leaf that is told apart by its one value.
Array leaf(float value) { return Tensor::scalar(value); }

template <class T>
std::vector<double> values(const T& t) {
  std::vector<double> all;
  for (const Array& array : tree::flatten(t)) all.push_back(array.item());
  return all;
}

// Every leaf plus 10, by flatten and rebuild.
template <class T>
T shifted(const T& t) {
  Arrays leaves = tree::flatten(t);
  for (Array& array : leaves) array = leaf(static_cast<float>(array.item()) + 10);
  return tree::rebuild(t, leaves);
}

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> named;
  std::optional<Array> bias;
  std::tuple<Array, std::pair<Array, Array>> rest;
};

Model model() {
  return {{{leaf(1), leaf(2)}, {leaf(3), leaf(4)}},
          {{"z", leaf(6)}, {"a", leaf(5)}},
          leaf(7),
          {leaf(8), {leaf(9), leaf(10)}}};
}

TEST(tree, of_one_array_is_a_leaf) {
  EXPECT_EQ(values(leaf(3)), std::vector<double>{3});
  EXPECT_EQ(shifted(leaf(3)).item(), 13);
}

TEST(tree, of_nested_containers_has_its_leaves_in_order) {
  EXPECT_EQ(values(model()), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(tree, is_rebuilt_with_other_leaves) {
  Model other = shifted(model());
  EXPECT_EQ(values(other), (std::vector<double>{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
  EXPECT_EQ(other.layers[1].w.item(), 13);
  EXPECT_EQ(other.named.at("a").item(), 15);
  EXPECT_EQ(std::get<1>(other.rest).second.item(), 20);
}

TEST(tree, names_its_leaves_by_their_paths) {
  EXPECT_EQ(leaf_paths(tree::structure_of(model())),
            (std::vector<std::string>{".0[0].0", ".0[0].1", ".0[1].0", ".0[1].1", ".1[\"a\"]", ".1[\"z\"]",
                                      ".2*", ".3.0", ".3.1.0", ".3.1.1"}));
  EXPECT_EQ(leaf_paths(tree::structure_of(leaf(1))), std::vector<std::string>{""});
}

TEST(tree, of_numbered_keys_names_them) {
  std::map<int, Array> numbered{{7, leaf(1)}, {3, leaf(2)}};
  EXPECT_EQ(leaf_paths(tree::structure_of(numbered)), (std::vector<std::string>{"[3]", "[7]"}));
}

TEST(tree, without_leaves_is_one_too) {
  struct Nothing {};
  EXPECT_TRUE(tree::flatten(Nothing{}).empty());
  EXPECT_TRUE(tree::flatten(std::tuple<>()).empty());
  EXPECT_TRUE(tree::flatten(std::vector<Array>{}).empty());
  EXPECT_TRUE(tree::flatten(std::optional<Array>{}).empty());
}

TEST(tree, of_std_arrays_and_templates_works) {
  std::array<Array, 3> three{leaf(1), leaf(2), leaf(3)};
  EXPECT_EQ(values(shifted(three)), (std::vector<double>{11, 12, 13}));
  EXPECT_EQ(leaf_paths(tree::structure_of(three)), (std::vector<std::string>{".0", ".1", ".2"}));
  std::pair<Layer, std::vector<std::vector<Array>>> nested{{leaf(1), leaf(2)}, {{}, {leaf(3)}}};
  EXPECT_EQ(values(shifted(nested)), (std::vector<double>{11, 12, 13}));
}

TEST(tree, keeps_default_member_initialisers_out_of_the_way) {
  struct Initialised {
    Array w = leaf(1);
    Array b = leaf(2);
  };
  EXPECT_EQ(values(shifted(Initialised{})), (std::vector<double>{11, 12}));
}

TEST(tree, of_24_fields_is_the_largest_struct) {
  struct Wide {
    Array a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
  };
  Wide wide;
  float next = 1;
  tree::for_each_leaf(wide, [&](Array& array) { array = leaf(next++); });
  EXPECT_EQ(wide.a.item(), 1);
  EXPECT_EQ(wide.x.item(), 24);
  EXPECT_EQ(values(shifted(wide)).back(), 34);
}

// A class with private members, bases and more than arrays.
class Optimiser {
 public:
  Optimiser(float rate, Array mean, Array square)
      : rate_(rate), mean_(std::move(mean)), square_(std::move(square)) {}
  auto tie() { return std::tie(mean_, square_); }
  float rate() const { return rate_; }

 private:
  float rate_;
  Array mean_, square_;
};

TEST(tree, of_another_class_is_what_it_ties) {
  Optimiser optimiser(0.5F, leaf(1), leaf(2));
  EXPECT_EQ(values(optimiser), (std::vector<double>{1, 2}));
  EXPECT_EQ(values(shifted(optimiser)), (std::vector<double>{11, 12}));
  EXPECT_EQ(shifted(optimiser).rate(), 0.5F);
}

TEST(tree_map, takes_the_leaves_at_the_same_places) {
  Layer x{leaf(1), leaf(2)}, y{leaf(10), leaf(20)};
  Layer sum =
      tree_map([](const Array& a, const Array& b) { return leaf(static_cast<float>(a.item() + b.item())); },
               x, y);
  EXPECT_EQ(values(sum), (std::vector<double>{11, 22}));
}

TEST(tree_map, takes_one_tree_or_several_of_one_structure) {
  std::vector<Array> x{leaf(1), leaf(2)};
  std::array<Array, 3> three{leaf(3), leaf(4), leaf(5)};
  EXPECT_EQ(values(tree_map([](const Array& a) { return leaf(static_cast<float>(-a.item())); }, x)),
            (std::vector<double>{-1, -2}));
  EXPECT_EQ(values(tree_map([](const Array&, const Array& b, const Array& c) { return b.item() > 1 ? c : b; },
                            x, x, x)),
            (std::vector<double>{1, 2}));
  EXPECT_EQ(
      refusal_of([&] { tree_map([](const Array& a, const Array&) { return a; }, x, three); }),
      "T012: tree_map: the trees differ: found 3 parts (.0, .1, .2), expected 2 parts ([0], [1]); hand in "
      "the same structure");
}

}  // namespace
}  // namespace tutti
