// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/sorting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Tensor counts(const std::vector<std::int32_t>& values) { return row(values); }
std::string refusal_of_trace(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return refusal_of([&] { trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }); });
}

TEST(lexsort, lets_the_last_key_decide) {
  auto order = [](const Arrays& x) { return lexsort({x[0], x[1]}); };
  EXPECT_EQ(computed_by(order, {row<double>({2, 1, 2, 1}), counts({1, 1, 0, 0})}), counts({3, 2, 1, 0}));
}

TEST(unique, is_ascending_and_filled_with_the_smallest) {
  auto four = [](const Arrays& x) { return unique(x[0], 4); };
  EXPECT_EQ(computed_by(four, {counts({3, 1, 3, 1, 7})}), counts({1, 3, 7, 1}));
  auto two = [](const Arrays& x) { return unique(x[0], 2); };
  EXPECT_EQ(computed_by(two, {counts({3, 1, 3, 1, 7})}), counts({1, 3}));
  auto filled = [](const Arrays& x) { return unique(x[0], 5, {.fill = std::int64_t{-9}}); };
  EXPECT_EQ(computed_by(filled, {Tensor(Shape{2, 2}, std::vector<std::int32_t>{5, 5, 5, 2})}),
            counts({2, 5, -9, -9, -9}));
}

TEST(unique, takes_nans_for_one_and_zeros_for_one) {
  auto all = [](const Arrays& x) { return unique(x[0], 4, {.fill = 8.0}); };
  const Tensor found = computed_by(all, {row<double>({nan, 0, -0.0, nan, -1})});
  EXPECT_EQ(found.at(0), -1);
  EXPECT_EQ(found.at(1), 0);
  EXPECT_NE(found.at(2), found.at(2));
  EXPECT_EQ(found.at(3), 8);
}

TEST(unique, counts_how_often_each_is_there) {
  auto often = [](const Arrays& x) { return unique_counts(x[0], 4).counts; };
  EXPECT_EQ(computed_by(often, {counts({3, 1, 3, 1, 3})}), counts({2, 3, 0, 0}));
  auto cut = [](const Arrays& x) { return unique_counts(x[0], 1).counts; };
  EXPECT_EQ(computed_by(cut, {counts({3, 1, 3, 1, 3})}), counts({2}));
}

TEST(unique, of_nothing_needs_a_fill) {
  const Type nothing(DType::f32, {0});
  EXPECT_EQ(refusal_of_trace({nothing}, [](const Arrays& x) { return unique(x[0], 2); }),
            "T005: unique: f32[0] has no elements to fill 2 with; give a fill: {.fill = 0}");
  EXPECT_EQ(refusal_of_trace({nothing}, [](const Arrays& x) { return unique(x[0], -1); }),
            "T005: unique: size = -1; the number of elements of the result is 0 or more");
  auto filled = [](const Arrays& x) { return unique(x[0], 2, {.fill = 4.0}); };
  EXPECT_EQ(computed_by(filled, {Tensor({0}, DType::f32)}), row<float>({4, 4}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return unique(x[0], 0); }, {counts({1, 2})}), counts({}));
}

TEST(searchsorted, counts_what_is_below_or_not_above) {
  for (std::int64_t n = 0; n <= 9; ++n) {
    std::vector<double> sorted;
    for (std::int64_t i = 0; i < n; ++i) sorted.push_back(static_cast<double>(i / 2));
    const std::vector<double> values{-1, 0, 0.5, 1, 2, 3, 4, 5, nan};
    std::vector<std::int32_t> left, right;
    for (double value : values) {
      left.push_back(static_cast<std::int32_t>(std::count_if(sorted.begin(), sorted.end(), [&](double x) {
        return x < value || value != value;
      })));
      right.push_back(static_cast<std::int32_t>(std::count_if(sorted.begin(), sorted.end(), [&](double x) {
        return x <= value || value != value;
      })));
    }
    auto found = [&](Side side) {
      return computed_by([&](const Arrays& x) { return searchsorted(x[0], x[1], {.side = side}); },
                         {row(sorted), row(values)});
    };
    EXPECT_EQ(found(Side::left), counts(left)) << n;
    EXPECT_EQ(found(Side::right), counts(right)) << n;
  }
}

TEST(searchsorted, puts_nan_behind_all_numbers) {
  auto left = [](const Arrays& x) { return searchsorted(x[0], x[1]); };
  EXPECT_EQ(computed_by(left, {row<double>({1, 2, nan, nan}), row<double>({nan, 5})}), counts({2, 2}));
}

TEST(searchsorted, takes_a_number_and_refuses_other_dtypes) {
  auto number = [](const Arrays& x) { return searchsorted(x[0], 2); };
  EXPECT_EQ(computed_by(number, {row<double>({1, 2, 3})}), Tensor::scalar(std::int32_t{1}));
  const Type x(DType::f32, {3}), matrix(DType::f32, {2, 2});
  EXPECT_EQ(refusal_of_trace({x, Type(DType::i32, {})},
                             [](const Arrays& a) { return searchsorted(a[0], a[1]); }),
            "T007: searchsorted: values i32[] among elements f32[3]; convert one: convert(x, DType::f32)");
  EXPECT_EQ(refusal_of_trace({matrix}, [](const Arrays& a) { return searchsorted(a[0], a[0]); }),
            "T005: searchsorted: f32[2,2] is not one row of sorted elements; search one row at a time");
}

TEST(bincount, clips_negative_numbers_and_drops_large_ones) {
  auto of_five = [](const Arrays& x) { return bincount(x[0], 5); };
  EXPECT_EQ(computed_by(of_five, {counts({-1, -1, 1, 3, 10})}), counts({2, 1, 0, 1, 0}));
  EXPECT_EQ(computed_by(of_five, {row<std::uint64_t>({~std::uint64_t{0}, 4, 4})}), counts({0, 0, 0, 0, 2}));
  EXPECT_EQ(computed_by(of_five, {row<std::uint8_t>({255, 2})}), counts({0, 0, 1, 0, 0}));
}

TEST(bincount, sums_weights) {
  auto weighed = [](const Arrays& x) { return bincount(x[0], 3, {.weights = x[1]}); };
  EXPECT_EQ(computed_by(weighed, {counts({2, 0, 2}), row<double>({0.5, 1, 2})}), row<double>({1, 0, 2.5}));
}

TEST(bincount, refuses_floats_matrices_and_other_weights) {
  const Type x(DType::i32, {3});
  EXPECT_EQ(refusal_of_trace({Type(DType::f32, {3})}, [](const Arrays& a) { return bincount(a[0], 2); }),
            "T007: bincount: f32[3] is not of integers, so it has no counts; convert it, or use histogram");
  EXPECT_EQ(refusal_of_trace({Type(DType::i32, {1, 3})}, [](const Arrays& a) { return bincount(a[0], 2); }),
            "T005: bincount: i32[1,3] is not one row of numbers to count; make it one: reshape(x, {-1})");
  EXPECT_EQ(refusal_of_trace({x, Type(DType::f32, {2})},
                             [](const Arrays& a) { return bincount(a[0], 2, {.weights = a[1]}); }),
            "T005: bincount: weights f32[2] beside i32[3]; there is one for each element");
  EXPECT_EQ(refusal_of_trace({x}, [](const Arrays& a) { return bincount(a[0], -2); }),
            "T005: bincount: length = -2; the number of counts is 0 or more");
}

TEST(histogram, has_bins_of_equal_width_and_a_closed_last_one) {
  const Tensor x = row<double>({1, 2, 3, 10, 11, 15, 19, 25});
  EXPECT_EQ(computed_by([](const Arrays& a) { return histogram(a[0], 8).counts; }, {x}),
            row<double>({3, 0, 0, 2, 1, 0, 1, 1}));
  EXPECT_EQ(computed_by([](const Arrays& a) { return histogram(a[0], 8).edges; }, {x}),
            row<double>({1, 4, 7, 10, 13, 16, 19, 22, 25}));
  EXPECT_EQ(computed_by([](const Arrays& a) { return histogram(a[0], 5, {.range = {{0, 20}}}).counts; }, {x}),
            row<double>({3, 0, 2, 1, 1}));
}

TEST(histogram, counts_whole_numbers_in_bins_of_one_each) {
  std::vector<float> floats;
  std::vector<std::int32_t> integers;
  for (int i = 0; i < 100; ++i) {
    floats.push_back(static_cast<float>(i));
    integers.push_back(i);
  }
  const Tensor ones = row(std::vector<float>(100, 1)), x = row(floats), n = row(integers);
  auto in_range = [](const Arrays& a) { return histogram(a[0], 100, {.range = {{0, 100}}}).counts; };
  EXPECT_EQ(computed_by(in_range, {x}), ones);
  EXPECT_EQ(computed_by(in_range, {n}), ones);
  std::vector<float> but_the_last(99, 1);
  but_the_last.back() = 2;
  EXPECT_EQ(computed_by([](const Arrays& a) { return histogram(a[0], 99).counts; }, {n}), row(but_the_last));
}

TEST(histogram, refuses_a_range_that_ends_below_its_start) {
  EXPECT_EQ(refusal_of_trace({Type(DType::f32, {3})},
                             [](const Arrays& a) { return histogram(a[0], 2, {.range = {{3, 1}}}).counts; }),
            "T015: histogram: range {3, 1}; the lower end is first");
}

TEST(histogram, refuses_weights_of_another_shape) {
  EXPECT_EQ(refusal_of_trace({Type(DType::f32, {2, 2}), Type(DType::f32, {4, 1})},
                             [](const Arrays& a) { return histogram(a[0], 2, {.weights = a[1]}).counts; }),
            "T005: histogram: weights f32[4,1] beside f32[2,2]; there is one for each element");
}

TEST(bincount, passes_weights_that_are_an_unreduced_sum) {
  const Axis a = example_mesh().axes()[0];
  const Type sum = Type(DType::f32, {3}).with(a, unreduced);
  const Program program = trace({Type(DType::i32, {3}), sum}, [](const Arrays& x) {
                            return Arrays{bincount(x[0], 4, {.weights = x[1]})};
                          }).program;
  EXPECT_EQ(program.type(program.outputs[0]), sum.with(Shape{4}));
}

TEST(histogram, takes_edges_weights_and_density) {
  auto density = [](const Arrays& a) {
    return histogram(a[0], a[1], {.weights = a[2], .density = true}).counts;
  };
  EXPECT_EQ(computed_by(density,
                        {row<double>({0, 1, 3, 9}), row<double>({0, 2, 4}), row<double>({1, 2, 5, 7})}),
            row<double>({3.0 / 2 / 8, 5.0 / 2 / 8}));
}

TEST(histogram, of_equal_elements_has_a_range_around_them) {
  EXPECT_EQ(computed_by([](const Arrays& a) { return histogram(a[0], 2).edges; }, {counts({4, 4})}),
            row<float>({3.5F, 4, 4.5F}));
}

TEST(histogram, refuses_no_bins_no_edges_and_no_range) {
  const Type x(DType::f32, {3});
  EXPECT_EQ(refusal_of_trace({x}, [](const Arrays& a) { return histogram(a[0], 0).counts; }),
            "T005: histogram: 0 bins; there is one at least");
  EXPECT_EQ(refusal_of_trace({x, Type(DType::f32, {1})},
                             [](const Arrays& a) { return histogram(a[0], a[1]).counts; }),
            "T005: histogram: edges f32[1]; they are one row of two or more ascending numbers");
  EXPECT_EQ(refusal_of_trace({Type(DType::f32, {0})}, [](const Arrays& a) { return histogram(a[0]).counts; }),
            "T005: histogram: f32[0] has no elements, so no range; give one: {.range = ..}");
}

}  // namespace
}  // namespace tutti
