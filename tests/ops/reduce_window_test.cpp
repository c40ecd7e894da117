// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/reduce_window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/windows/selected.hpp"

namespace tutti {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
const Type row_of_7(DType::f32, {7});

Tensor row(const std::vector<float>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Tensor summed(const WindowsAlong& windows, const Tensor& x) {
  return computed(ReduceWindow{ReduceKind::sum, windows}, {x})[0];
}
Tensor largest(const WindowsAlong& windows, const Tensor& x) {
  return computed(ReduceWindow{ReduceKind::max, windows}, {x})[0];
}

TEST(reduce_window, folds_every_window_that_lies_inside) {
  const Tensor x = row({1, 2, 4, 8, 16, 32, 64});
  EXPECT_EQ(summed({{2, 2}}, x), row({3, 12, 48}));
  EXPECT_EQ(largest({{3, 1}}, x), row({4, 8, 16, 32, 64}));
  EXPECT_EQ(computed(ReduceWindow{ReduceKind::min, {{2, 3}}}, {x})[0], row({1, 8}));
}

TEST(reduce_window, counts_padding_as_neutral_and_cuts_off_where_it_is_negative) {
  const Tensor x = row({1, 2, 4, 8});
  EXPECT_EQ(summed({{.size = 2, .stride = 2, .low = 1, .high = 1}}, x), row({1, 6, 8}));
  EXPECT_EQ(summed({{.size = 2, .low = -1}}, x), row({6, 12}));
  EXPECT_EQ(largest({{.size = 2, .low = 3}}, row({-5})), row({-infinity, -infinity, -5}));
}

TEST(reduce_window, spreads_the_elements_of_the_array_and_of_the_window) {
  const Tensor x = row({1, 2, 4, 8});
  EXPECT_EQ(summed({{.size = 2, .window_dilation = 3}}, x), row({9}));
  EXPECT_EQ(summed({{.size = 3, .base_dilation = 2}}, x), row({3, 2, 6, 4, 12}));
  EXPECT_EQ(summed({{.size = 3, .base_dilation = 3, .window_dilation = 2}}, x), row({1, 2, 4, 2, 4, 8}));
}

TEST(reduce_window, takes_rows_of_features_whole) {
  std::vector<float> values(2 * 4 * 9);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37) % 72);
  const Tensor x(Shape{2, 4, 9}, values),
      found = largest({{2, 1}, {2, 2}, {}}, x),
      few = largest({{2, 1}, {2, 2}, {1, 1, 0, 0, 1, 2}},
                    x);  // the last dim is a window of one, dilated: by single elements
  ASSERT_EQ(found.shape(), Shape({1, 2, 9}));
  EXPECT_EQ(found, few);
  EXPECT_EQ(found.at(0), std::max({values[0], values[9], values[36], values[45]}));
}

TEST(reduce_window, propagates_nan_and_orders_the_zeros) {
  EXPECT_TRUE(std::isnan(largest({{2}}, row({1, nan})).at(0)));
  EXPECT_FALSE(std::signbit(largest({{2}}, row({-0.0F, 0})).at(0)));
  EXPECT_TRUE(std::signbit(computed(ReduceWindow{ReduceKind::min, {{2}}}, {row({0, -0.0F})})[0].at(0)));
  EXPECT_FALSE(std::signbit(summed({{2}}, row({-0.0F, -0.0F})).at(0)));
}

TEST(reduce_window, has_positive_zero_as_the_sum_of_negative_ones_in_rows_too) {
  const Tensor x(Shape{2, 8}, std::vector<float>(16, -0.0F));
  EXPECT_FALSE(std::signbit(summed({{2}, {}}, x).at(0)));
  EXPECT_FALSE(std::signbit(summed({{1, 2}, {}}, x).at(0)));
}

TEST(reduce_window, rounds_sums_of_halves_once) {
  const std::vector<bf16> values{bf16(256.F), bf16(1.F), bf16(1.F)};
  const Tensor x(Shape{3}, values), found = summed({{3}}, x);
  EXPECT_EQ(found.at(0), 258);  // 256 + 1 is 256 in bf16
}

TEST(reduce_window, has_the_gradient_at_the_first_of_equal_elements) {
  const auto back = [](const Arrays& x) {
    return select_and_scatter_add(x[0], x[1], Extreme::largest, {{2, 1}});
  };
  EXPECT_EQ(computed_by(back, {row({1, 10, 100}), row({3, 3, 3, 3})}), row({1, 10, 100, 0}));
  EXPECT_EQ(computed_by(back, {row({1, 10, 100}), row({1, 2, 3, 2})}), row({0, 1, 110, 0}));
}

TEST(reduce_window, takes_tangents_where_the_selected_elements_stand) {
  const auto tangent = [](const Arrays& x) {
    return *ReduceWindow{ReduceKind::min, {{2, 2}}}.jvp({x[0]}, {x[1]}).tangents[0];
  };
  EXPECT_EQ(computed_by(tangent, {row({3, 1, 2, 2}), row({1, 10, 100, 1000})}), row({10, 100}));
}

TEST(reduce_window, rounds_scattered_halves_once) {
  const auto back = [](const Arrays& x) {
    return select_and_scatter_add(x[0], x[1], Extreme::largest, {{.size = 3, .low = 1, .high = 1}});
  };
  const Tensor source(Shape{3}, std::vector<bf16>{bf16(256.F), bf16(1.F), bf16(1.F)}),
      chooser(Shape{3}, std::vector<bf16>{bf16(0.F), bf16(9.F), bf16(0.F)});
  EXPECT_EQ(computed_by(back, {source, chooser}).at(1), 258);
}

TEST(reduce_window, shows_dilations_only_where_there_are_any) {
  const ReduceWindowOptions options{.strides = {2}, .padding = WindowPadding::same};
  EXPECT_EQ(program_text({row_of_7}, [&](const Arrays& x) { return reduce_window_max(x[0], {3}, options); }),
            "program(%0: f32[7]) {\n"
            "  %1: f32[4] = reduce_window_max{window=[3], strides=[2], low=[1], high=[1]} %0\n"
            "  return %1\n}\n");
  EXPECT_EQ(
      program_text({row_of_7},
                   [](const Arrays& x) { return reduce_window_sum(x[0], {2}, {.window_dilation = {3}}); }),
      "program(%0: f32[7]) {\n"
      "  %1: f32[4] = reduce_window_sum{window=[2], strides=[1], low=[0], high=[0], window_dilation=[3]} "
      "%0\n"
      "  return %1\n}\n");
}

TEST(reduce_window, pads_for_as_many_windows_as_strides) {
  const std::vector<std::int64_t> sizes{7, 4, 0}, windows{3, 2, 2}, strides{2, 1, 1};
  const std::vector<PaddingPair> same{{1, 1}, {0, 1}, {0, 1}}, lower{{1, 1}, {1, 0}, {1, 0}};
  EXPECT_EQ(WindowPadding(WindowPadding::same).resolve(sizes, windows, strides, "c"), same);
  EXPECT_EQ(WindowPadding(WindowPadding::same_lower).resolve(sizes, windows, strides, "c"), lower);
}

TEST(reduce_window, rejects_a_window_of_another_rank_c4) {
  EXPECT_EQ(
      refusal_of(ReduceWindow{ReduceKind::sum, {{2}, {2}}}, {row_of_7}),
      "T006: windows along 2 dims for f32[7], which has 1 dim; give a size for each (reduce_window_c4)");
}

TEST(reduce_window, rejects_numbers_below_one_c5_c7_c9_c11) {
  const auto refusal = [](const WindowAlong& window) {
    return refusal_of(ReduceWindow{ReduceKind::max, {window}}, {row_of_7});
  };
  EXPECT_EQ(refusal({.size = 0}),
            "T005: a window of 0 along dim 0; it is at least 1, at most 2^29 (reduce_window_c5)");
  EXPECT_NE(refusal({.stride = 0}).find("stride 0 along dim 0"), std::string::npos);
  EXPECT_NE(refusal({.base_dilation = -1}).find("(reduce_window_c9)"), std::string::npos);
  EXPECT_NE(refusal({.window_dilation = 0}).find("(reduce_window_c11)"), std::string::npos);
}

TEST(reduce_window, rejects_padding_that_takes_away_more_than_there_is_c12) {
  EXPECT_EQ(refusal_of(ReduceWindow{ReduceKind::sum, {{.size = 1, .low = -5, .high = -3}}}, {row_of_7}),
            "T005: padding -5 and -3 leave -1 elements along dim 0 of f32[7]; take away less "
            "(reduce_window_c12)");
  EXPECT_NE(refusal_of(ReduceWindow{ReduceKind::sum, {{.size = 1, .low = std::int64_t{1} << 40}}}, {row_of_7})
                .find("each is at most 2^30"),
            std::string::npos);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();  // has no absolute value
  EXPECT_NE(refusal_of(ReduceWindow{ReduceKind::sum, {{.size = 1, .low = least, .high = least}}}, {row_of_7})
                .find("each is at most 2^30"),
            std::string::npos);
}

TEST(reduce_window, rejects_lists_of_another_length_c6) {
  EXPECT_EQ(refusal_of([] {
              program_text({row_of_7},
                           [](const Arrays& x) { return reduce_window_sum(x[0], {2}, {{1, 1}}); });
            }),
            "T006: reduce_window_sum: strides [1, 1] for 1 dim (reduce_window_c6); give one for each");
}

TEST(reduce_window, rejects_sums_of_bool_and_the_order_of_complex_numbers) {
  EXPECT_EQ(
      refusal_of(ReduceWindow{ReduceKind::sum, {{2}}}, {Type(DType::boolean, {7})}),
      "T007: bool[7] is bool, which has no sum; to count, convert it first: convert(x, DType::i32); for "
      "\"any\", reduce_window_max");
  EXPECT_TRUE(
      refusal_of(ReduceWindow{ReduceKind::max, {{2}}}, {Type(DType::complex64, {7})}).starts_with("T007"));
}

TEST(reduce_window, rejects_a_source_of_another_shape_c2) {
  EXPECT_EQ(refusal_of(SelectAndScatter{Extreme::largest, {{2, 2}}}, {row_of_7, row_of_7}),
            "T005: the source is f32[7], the chooser f32[7] has 3 windows; give an element for each "
            "(select_and_scatter_c2)");
}

TEST(reduce_window, rejects_to_choose_by_terms) {
  const Axis a = example_mesh().axes()[0];
  EXPECT_TRUE(refusal_of(SelectAndGather{Extreme::largest, {{2, 2}}},
                         {row_of_7.with(a, reduced), row_of_7.with(a, unreduced)})
                  .starts_with("T004: the chooser is"));
}

TEST(reduce_window, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(ReduceWindow::examples()), std::vector<std::string>{});
  EXPECT_EQ(mistyped_rules(SelectAndGather::examples()), std::vector<std::string>{});
  EXPECT_EQ(mistyped_rules(SelectAndScatter::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
