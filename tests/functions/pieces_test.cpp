// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/pieces.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"

namespace tutti {
namespace {

const Tensor row = counted_i32({6}), matrix = counted_i32({2, 3});
const Type f32_row(DType::f32, {6});

Tensors pieces(const Cuts& cuts) {
  return all_made({row}, [&](const Arrays& x) { return split(x[0], cuts); });
}
Tensors uneven(int n) {
  return all_made({row}, [n](const Arrays& x) { return array_split(x[0], n); });
}

TEST(split, cuts_into_pieces_of_one_size) {
  EXPECT_EQ(pieces(3), (Tensors{numbers({2}, {1, 2}), numbers({2}, {3, 4}), numbers({2}, {5, 6})}));
  EXPECT_EQ(pieces(1), Tensors{row});
  EXPECT_EQ(all_made({matrix}, [](const Arrays& x) { return split(x[0], 3, -1); })[1],
            numbers({2, 1}, {2, 5}));
  EXPECT_EQ(all_made({counted_i32({0})}, [](const Arrays& x) { return split(x[0], 2); }),
            (Tensors{numbers({0}, {}), numbers({0}, {})}));
}

TEST(split, cuts_at_indices) {
  EXPECT_EQ(pieces({2, 5}), (Tensors{numbers({2}, {1, 2}), numbers({3}, {3, 4, 5}), numbers({1}, {6})}));
  EXPECT_EQ(pieces({2}), (Tensors{numbers({2}, {1, 2}), numbers({4}, {3, 4, 5, 6})}));
  EXPECT_EQ(pieces(std::vector<std::int64_t>{}), Tensors{row});
  EXPECT_EQ(all_made({matrix}, [](const Arrays& x) { return split(x[0], {1}, 1); }),
            (Tensors{numbers({2, 1}, {1, 4}), numbers({2, 2}, {2, 3, 5, 6})}));
}

TEST(split, takes_indices_as_a_slice_does) {
  EXPECT_EQ(pieces({-1}), (Tensors{numbers({5}, {1, 2, 3, 4, 5}), numbers({1}, {6})}));
  EXPECT_EQ(pieces({9}), (Tensors{row, numbers({0}, {})}));
  EXPECT_EQ(pieces({-9}), (Tensors{numbers({0}, {}), row}));
  EXPECT_EQ(pieces({4, 1}),
            (Tensors{numbers({4}, {1, 2, 3, 4}), numbers({0}, {}), numbers({5}, {2, 3, 4, 5, 6})}));
}

TEST(split, refuses_pieces_of_different_sizes) {
  EXPECT_EQ(
      refused({f32_row}, [](const Arrays& x) { return split(x[0], 4)[0]; }),
      "T005: split: dim 0 of f32[6] does not split into 4 pieces of one size; use array_split, or say where: "
      "split(x, {2})");
  EXPECT_EQ(refused({f32_row}, [](const Arrays& x) { return split(x[0], 0)[0]; }),
            "T005: split: 0 pieces; cut into 1 at least");
  EXPECT_EQ(refused({f32_row}, [](const Arrays& x) { return array_split(x[0], -2)[0]; }),
            "T005: array_split: -2 pieces; cut into 1 at least");
  EXPECT_EQ(refused({f32_row}, [](const Arrays& x) { return split(x[0], 2, 1)[0]; }),
            "T006: split: dim 1 is out of range for f32[6], which has dims -1 to 0");
}

TEST(array_split, gives_the_first_pieces_one_element_more) {
  EXPECT_EQ(uneven(4),
            (Tensors{numbers({2}, {1, 2}), numbers({2}, {3, 4}), numbers({1}, {5}), numbers({1}, {6})}));
  EXPECT_EQ(uneven(3)[2], numbers({2}, {5, 6}));
  EXPECT_EQ(uneven(7)[6], numbers({0}, {}));
}

TEST(hstack, joins_side_by_side) {
  EXPECT_EQ(made({matrix, counted_i32({2, 1})}, [](const Arrays& x) { return hstack(x); }),
            numbers({2, 4}, {1, 2, 3, 1, 4, 5, 6, 2}));
  EXPECT_EQ(made({counted_i32({2}), counted_i32({})}, [](const Arrays& x) { return hstack(x); }),
            numbers({3}, {1, 2, 1}));
  EXPECT_EQ(refused({}, [](const Arrays&) { return hstack({}); }).substr(0, 13), "T005: hstack:");
}

TEST(vstack, joins_one_below_the_other) {
  EXPECT_EQ(made({matrix, counted_i32({3})}, [](const Arrays& x) { return vstack(x); }),
            numbers({3, 3}, {1, 2, 3, 4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(made({counted_i32({}), counted_i32({})}, [](const Arrays& x) { return vstack(x); }),
            numbers({2, 1}, {1, 1}));
  EXPECT_EQ(refused({}, [](const Arrays&) { return vstack({}); }).substr(0, 13), "T005: vstack:");
  EXPECT_EQ(
      refused({f32_row, Type(DType::f32, {2})}, [](const Arrays& x) { return vstack(x); }).substr(0, 13),
      "T005: vstack:");
}

}  // namespace
}  // namespace tutti
