// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/shaping.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"

namespace tutti {
namespace {

const Tensor row = counted_i32({4}), matrix = counted_i32({2, 3}), boxes = counted_i32({2, 1, 3});
const Type f32_row(DType::f32, {4}), f32_matrix(DType::f32, {2, 3}), f32_boxes(DType::f32, {2, 1, 3});

TEST(squeeze, takes_dims_of_size_1_away) {
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return squeeze(x[0]); }), matrix);
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return squeeze(x[0], -2); }), matrix);
  EXPECT_EQ(made({counted_i32({1, 3, 1})}, [](const Arrays& x) { return squeeze(x[0], {2}); }),
            numbers({1, 3}, {1, 2, 3}));
  EXPECT_EQ(made({counted_i32({1, 1})}, [](const Arrays& x) { return squeeze(x[0]); }), numbers({}, {1}));
}

TEST(squeeze, of_no_such_dim_is_x_itself) {
  EXPECT_EQ(program_text({f32_matrix}, [](const Arrays& x) { return squeeze(x[0]); }),
            "program(%0: f32[2,3]) {\n  return %0\n}\n");
}

TEST(squeeze, refuses_other_sizes_and_dims) {
  EXPECT_EQ(refused({f32_boxes}, [](const Arrays& x) { return squeeze(x[0], 2); }),
            "T005: squeeze: dim 2 of f32[2,1,3] has 3 elements; only a dim of size 1 can go. Select one with "
            "index_in_dim");
  EXPECT_EQ(refused({f32_boxes}, [](const Arrays& x) { return squeeze(x[0], {1, -2}); }),
            "T006: squeeze: dim 1 of f32[2,1,3] is named twice; name each dim once");
  EXPECT_EQ(refused({f32_boxes}, [](const Arrays& x) { return squeeze(x[0], 3); }),
            "T006: squeeze: dim 3 is out of range for f32[2,1,3], which has dims -3 to 2");
}

TEST(swapaxes, swaps_two_dims) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return swapaxes(x[0], 0, -1); }),
            numbers({3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return swapaxes(x[0], 1, 1); }), matrix);
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return swapaxes(x[0], 0, 2); }),
            "T006: swapaxes: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
}

Shape moved(const std::vector<int>& from, const std::vector<int>& to) {
  return made({counted_i32({2, 3, 4})}, [&](const Arrays& x) { return moveaxis(x[0], from, to); }).shape();
}

TEST(moveaxis, moves_dims_and_keeps_the_others_in_order) {
  EXPECT_EQ(moved({0}, {-1}), (Shape{3, 4, 2}));
  EXPECT_EQ(moved({2}, {0}), (Shape{4, 2, 3}));
  EXPECT_EQ(moved({0, 1}, {1, 0}), (Shape{3, 2, 4}));
  EXPECT_EQ(moved({0, 2}, {2, 1}), (Shape{3, 4, 2}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return moveaxis(x[0], 0, 1); }),
            numbers({3, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST(moveaxis, refuses_lists_that_do_not_fit) {
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return moveaxis(x[0], {0, 1}, {0}); }),
            "T006: moveaxis: 2 dims to move, 1 place to move to; give a place to each");
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return moveaxis(x[0], {0, -2}, {0, 1}); }),
            "T006: moveaxis: dim 0 of f32[2,3] is named twice; name each dim once");
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return moveaxis(x[0], 0, 2); }),
            "T006: moveaxis: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
}

TEST(flip, reverses_dims) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return flip(x[0]); }), numbers({2, 3}, {6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return flip(x[0], -1); }),
            numbers({2, 3}, {3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(made({counted_i32({})}, [](const Arrays& x) { return flip(x[0]); }), numbers({}, {1}));
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return flip(x[0], {1, 1}); }),
            "T006: flip: dim 1 of f32[2,3] is named twice; name each dim once");
}

TEST(roll, moves_ahead_and_around) {
  EXPECT_EQ(made({row}, [](const Arrays& x) { return roll(x[0], 1); }), numbers({4}, {4, 1, 2, 3}));
  EXPECT_EQ(made({row}, [](const Arrays& x) { return roll(x[0], -1); }), numbers({4}, {2, 3, 4, 1}));
  EXPECT_EQ(made({row}, [](const Arrays& x) { return roll(x[0], 9); }), numbers({4}, {4, 1, 2, 3}));
  EXPECT_EQ(made({row},
                 [](const Arrays& x) { return roll(x[0], std::numeric_limits<std::int64_t>::min() + 1); }),
            numbers({4}, {4, 1, 2, 3}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return roll(x[0], 1); }),
            numbers({2, 3}, {6, 1, 2, 3, 4, 5}));
}

TEST(roll, along_dims) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return roll(x[0], 1, 1); }),
            numbers({2, 3}, {3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return roll(x[0], 1, {0, 1}); }),
            numbers({2, 3}, {6, 4, 5, 3, 1, 2}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return roll(x[0], {1, -1}, {0, -1}); }),
            numbers({2, 3}, {5, 6, 4, 2, 3, 1}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return roll(x[0], {1, 1}, {1, 1}); }),
            numbers({2, 3}, {2, 3, 1, 5, 6, 4}));
}

TEST(roll, of_nothing_is_x_itself) {
  EXPECT_EQ(made({counted_i32({0})}, [](const Arrays& x) { return roll(x[0], 3); }), numbers({0}, {}));
  EXPECT_EQ(program_text({f32_row}, [](const Arrays& x) { return roll(x[0], 8, 0); }),
            "program(%0: f32[4]) {\n  return %0\n}\n");
}

TEST(roll, takes_a_shift_known_at_run_time_only) {
  for (std::int32_t shift : {1, -1, 0, 4, 9, -11, std::numeric_limits<std::int32_t>::min()}) {
    const Tensor by = Tensor::scalar(shift);
    EXPECT_EQ(made({row, by}, [](const Arrays& x) { return roll(x[0], x[1]); }),
              made({row}, [=](const Arrays& x) { return roll(x[0], shift); }))
        << shift;
    EXPECT_EQ(made({matrix, by}, [](const Arrays& x) { return roll(x[0], x[1], {0, -1}); }),
              made({matrix}, [=](const Arrays& x) { return roll(x[0], shift, {0, -1}); }))
        << shift;
  }
  EXPECT_EQ(made({row, Tensor::scalar(std::uint8_t{255})}, [](const Arrays& x) { return roll(x[0], x[1]); }),
            numbers({4}, {2, 3, 4, 1}));
  EXPECT_EQ(made({row, Tensor::scalar(~std::uint64_t{0})}, [](const Arrays& x) { return roll(x[0], x[1]); }),
            numbers({4}, {2, 3, 4, 1}));
  EXPECT_EQ(made({counted_i32({0}), Tensor::scalar(3)}, [](const Arrays& x) { return roll(x[0], x[1]); }),
            numbers({0}, {}));
}

TEST(roll, refuses_a_shift_that_is_no_whole_number) {
  EXPECT_EQ(refused({f32_matrix, Type(DType::f32, {})}, [](const Arrays& x) { return roll(x[0], x[1], 0); }),
            "T007: roll: the shift is f32[]; convert it: convert(shift, DType::i32)");
  EXPECT_EQ(refused({f32_matrix, Type(DType::i32, {2})}, [](const Arrays& x) { return roll(x[0], x[1], 0); }),
            "T005: roll: the shift is i32[2]; it is a scalar: take one with shift[i]");
  EXPECT_EQ(refused({Type(DType::f32, {0}), Type(DType::f32, {})},
                    [](const Arrays& x) { return roll(x[0], x[1]); }),
            "T007: roll: the shift is f32[]; convert it: convert(shift, DType::i32)");
}

TEST(roll, refuses_lists_that_do_not_fit) {
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return roll(x[0], {1, 2}, std::vector{0}); }),
            "T006: roll: 2 shifts and 1 dim; give a shift for each dim");
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return roll(x[0], 1, -3); }),
            "T006: roll: dim -3 is out of range for f32[2,3], which has dims -2 to 1");
}

TEST(tile, lays_copies_beside_each_other) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tile(x[0], 2); }),
            numbers({2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tile(x[0], {2, 1}); }),
            numbers({4, 3}, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(made({counted_i32({2})}, [](const Arrays& x) { return tile(x[0], {2, 1, 2}); }),
            numbers({2, 1, 4}, {1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(made({counted_i32({})}, [](const Arrays& x) { return tile(x[0], 3); }), numbers({3}, {1, 1, 1}));
}

TEST(tile, of_no_copies_is_empty) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tile(x[0], {0, 2}); }), numbers({0, 6}, {}));
  EXPECT_EQ(made({counted_i32({0})}, [](const Arrays& x) { return tile(x[0], {3, 2}); }),
            numbers({3, 0}, {}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tile(x[0], std::vector<std::int64_t>{}); }), matrix);
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return tile(x[0], {1, 1, 1}); }),
            numbers({1, 2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST(tile, refuses_numbers_of_times_that_are_none) {
  EXPECT_EQ(refused({f32_matrix}, [](const Arrays& x) { return tile(x[0], {2, -1}); }),
            "T005: tile: -1 times; a number of times is at least 0");
  EXPECT_EQ(
      refused({f32_matrix}, [](const Arrays& x) { return tile(x[0], std::int64_t{1} << 60); }),
      "T005: tile: shape [1,2,1152921504606846976,3] has more than 2^58 elements; make its sizes smaller");
}

TEST(repeat, repeats_each_element_in_a_row) {
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return repeat(x[0], 2, 1); }),
            numbers({2, 6}, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return repeat(x[0], 2, -2); }),
            numbers({4, 3}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(made({counted_i32({2, 1})}, [](const Arrays& x) { return repeat(x[0], 2); }),
            numbers({4}, {1, 1, 2, 2}));
  EXPECT_EQ(made({row}, [](const Arrays& x) { return repeat(x[0], 0); }), numbers({0}, {}));
  EXPECT_EQ(made({counted_i32({})}, [](const Arrays& x) { return repeat(x[0], 3); }),
            numbers({3}, {1, 1, 1}));
}

TEST(repeat, takes_a_number_for_each_element) {
  EXPECT_EQ(made({row}, [](const Arrays& x) { return repeat(x[0], {2, 2, 0, 1}); }),
            numbers({5}, {1, 1, 2, 2, 4}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return repeat(x[0], {1, 2, 0}, 1); }),
            numbers({2, 3}, {1, 2, 2, 4, 5, 5}));
  EXPECT_EQ(made({matrix}, [](const Arrays& x) { return repeat(x[0], {0, 0}, 0); }), numbers({0, 3}, {}));
  EXPECT_EQ(made({counted_i32({0})},
                 [](const Arrays& x) { return repeat(x[0], std::vector<std::int64_t>{}); }),
            numbers({0}, {}));
}

TEST(repeat, of_many_numbers_is_the_same_by_indices) {
  std::vector<std::int64_t> times;
  std::vector<std::int32_t> expected;
  for (int i = 0; i < 100; ++i) {
    times.push_back(i % 3);
    for (int n = 0; n < i % 3; ++n) expected.push_back(i + 1);
  }
  Tensor made_of_many = made({counted_i32({100})}, [&](const Arrays& x) { return repeat(x[0], times); });
  EXPECT_EQ(made_of_many, numbers({std::ssize(expected)}, expected));
}

TEST(repeat, refuses_numbers_that_do_not_fit) {
  EXPECT_EQ(refused({f32_row}, [](const Arrays& x) { return repeat(x[0], -1); }),
            "T005: repeat: -1 times; a number of times is at least 0");
  EXPECT_EQ(refused({f32_row}, [](const Arrays& x) { return repeat(x[0], {1, 2}, 0); }),
            "T005: repeat: 2 numbers for the 4 elements of dim 0 of f32[4]; give one each");
  EXPECT_EQ(refused({f32_row}, [](const Arrays& x) { return repeat(x[0], 2, 1); }),
            "T006: repeat: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(broadcast_arrays, gives_all_one_shape) {
  EXPECT_EQ(all_made({counted_i32({2, 1}), counted_i32({3})},
                     [](const Arrays& x) { return broadcast_arrays(x); }),
            (Tensors{numbers({2, 3}, {1, 1, 1, 2, 2, 2}), numbers({2, 3}, {1, 2, 3, 1, 2, 3})}));
  EXPECT_EQ(
      refused({f32_row, f32_matrix}, [](const Arrays& x) { return broadcast_arrays(x)[0]; }).substr(0, 60),
      "T005: broadcast_arrays: shapes [4] and [2,3] do not broadcas");
}

TEST(atleast, adds_dims_of_size_1_at_the_front) {
  EXPECT_EQ(made({counted_i32({})}, [](const Arrays& x) { return atleast_1d(x[0]); }), numbers({1}, {1}));
  EXPECT_EQ(made({row}, [](const Arrays& x) { return atleast_1d(x[0]); }), row);
  EXPECT_EQ(made({counted_i32({})}, [](const Arrays& x) { return atleast_2d(x[0]); }), numbers({1, 1}, {1}));
  EXPECT_EQ(made({row}, [](const Arrays& x) { return atleast_2d(x[0]); }), numbers({1, 4}, {1, 2, 3, 4}));
  EXPECT_EQ(made({boxes}, [](const Arrays& x) { return atleast_2d(x[0]); }), boxes);
  EXPECT_EQ(made({counted_i32({0})}, [](const Arrays& x) { return atleast_2d(x[0]); }), numbers({1, 0}, {}));
}

}  // namespace
}  // namespace tutti
