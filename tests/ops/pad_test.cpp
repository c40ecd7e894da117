// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/pad.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3}), scalar(DType::f32, {});

std::vector<std::int32_t> padded(std::int64_t low, std::int64_t high, std::int64_t interior,
                                 std::int64_t n = 3) {
  Tensor y = computed(Pad{{low}, {high}, {interior}}, {counted(DType::i32, {n}), Tensor::scalar(9)})[0];
  return {y.as<std::int32_t>().begin(), y.as<std::int32_t>().end()};
}
using Numbers32 = std::vector<std::int32_t>;

TEST(pad, puts_the_value_around_and_between) {
  EXPECT_EQ(padded(1, 2, 0), (Numbers32{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(padded(0, 1, 2), (Numbers32{1, 9, 9, 2, 9, 9, 3, 9}));
  EXPECT_EQ(padded(1, 1, 4, 0), (Numbers32{9, 9}));
}

TEST(pad, takes_elements_away_where_it_is_negative) {
  EXPECT_EQ(padded(-1, 1, 0), (Numbers32{2, 3, 9}));
  EXPECT_EQ(padded(-1, -1, 2), (Numbers32{9, 9, 2, 9, 9}));
  EXPECT_EQ(padded(-4, 3, 0), (Numbers32{9, 9}));  // more than there is
  EXPECT_EQ(padded(2, -4, 0), (Numbers32{9}));
  EXPECT_EQ(padded(-1, -2, 0), (Numbers32{}));
}

TEST(pad, of_two_dims_pads_each) {
  Tensor y = computed(Pad{{0, 1}, {1, 0}, {0, 1}}, {counted(DType::f64, {2, 2}), Tensor::scalar(0.5)})[0];
  EXPECT_EQ(y, Tensor(Shape{3, 4}, std::vector<double>{0.5, 1, 0.5, 2, 0.5, 3, 0.5, 4, 0.5, 0.5, 0.5, 0.5}));
}

TEST(pad, rejects_a_value_of_another_dtype_c1) {
  EXPECT_EQ(refusal_of(Pad{{1}, {1}, {0}}, {row, Type(DType::f64, {})}).substr(0, 43),
            "T007: f32[3] and f64[] have different dtype");
}

TEST(pad, rejects_a_value_that_is_no_scalar) {
  EXPECT_EQ(refusal_of(Pad{{1}, {1}, {0}}, {row, row}),
            "T005: the padding is f32[3], not a scalar; the same value goes everywhere");
}

TEST(pad, rejects_another_number_of_entries_than_dims_c2) {
  EXPECT_EQ(refusal_of(Pad{{1, 1}, {1}, {0}}, {row, scalar}),
            "T006: [1, 1] has 2 entries, f32[3] has 1 dim; give low, high and interior for each (pad_c2)");
}

TEST(pad, rejects_a_negative_interior_c3) {
  EXPECT_EQ(refusal_of(Pad{{0}, {0}, {-1}}, {row, scalar}),
            "T005: interior -1 in dim 0; it is at least 0 (pad_c3). To leave elements out: slice_in_dim");
}

TEST(pad, rejects_to_take_away_more_than_there_is_c4) {
  EXPECT_EQ(refusal_of(Pad{{-2}, {-2}, {0}}, {row, scalar}),
            "T005: low -2 and high -2 leave -1 elements in dim 0 of f32[3]; take away less (pad_c4)");
}

TEST(pad, takes_a_number) {
  EXPECT_EQ(program_text({row}, [](const Arrays& x) { return pad(x[0], 0, {{.low = 1, .interior = 2}}); }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[] = constant{value=0}\n"
            "  %2: f32[8] = pad{low=[1], high=[0], interior=[2]} %0, %1\n"
            "  return %2\n}\n");
}

TEST(pad, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Pad::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
