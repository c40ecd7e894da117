// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/cumulative.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {2, 3});

TEST(cumsum, adds_up_along_its_dim) {
  EXPECT_EQ(computed(Cumulative{CumulativeKind::sum, Dim{1}}, {counted(DType::f32, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<float>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(computed(Cumulative{CumulativeKind::sum, Dim{0}}, {counted(DType::i64, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<std::int64_t>{1, 2, 3, 5, 7, 9}));
}

TEST(cumsum, backward_adds_up_from_each_on) {
  EXPECT_EQ(computed(Cumulative{CumulativeKind::sum, Dim{1}, Order::backward},
                     {counted(DType::i32, {2, 3})})[0],
            Tensor(Shape{2, 3}, std::vector<std::int32_t>{6, 5, 3, 15, 11, 6}));
}

TEST(cumsum, transposes_to_the_other_order) {
  EXPECT_EQ(program_text({matrix},
                         [](const Arrays& ct) {
                           return *Cumulative{CumulativeKind::sum, Dim{1}}.transpose({{std::nullopt, matrix}},
                                                                                     {ct[0]})[0];
                         }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[2,3] = cumsum{dim=1, order=backward} %0\n"
            "  return %1\n}\n");
}

TEST(cumsum, counts_negative_dims_from_the_end) {
  EXPECT_EQ(program_text({matrix}, [](const Arrays& x) { return cumsum(x[0], -2); }),
            "program(%0: f32[2,3]) {\n"
            "  %1: f32[2,3] = cumsum{dim=0, order=forward} %0\n"
            "  return %1\n}\n");
}

TEST(cumsum, rejects_a_dim_out_of_range_c1) {
  EXPECT_EQ(refusal_of(Cumulative{CumulativeKind::sum, Dim{2}}, {matrix}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (cumsum_c1)");
}

TEST(cumsum, rejects_bool_c2) {
  EXPECT_EQ(refusal_of(Cumulative{CumulativeKind::sum, Dim{0}}, {Type(DType::boolean, {3})}),
            "T007: bool[3] is bool, which has no sum (cumsum_c2); to count, convert it first: convert(x, "
            "DType::i32)");
}

TEST(cumsum, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Cumulative::examples()), std::vector<std::string>{});
}

TEST(cumulative, multiplies_and_keeps_extremes) {
  const Tensor x(Shape{4}, std::vector<double>{2, -3, 0, 5});
  auto along = [&](CumulativeKind kind, Order order = Order::forward) {
    return computed(Cumulative{kind, Dim{0}, order}, {x})[0];
  };
  EXPECT_EQ(along(CumulativeKind::prod), Tensor(Shape{4}, std::vector<double>{2, -6, -0.0, -0.0}));
  EXPECT_EQ(along(CumulativeKind::max), Tensor(Shape{4}, std::vector<double>{2, 2, 2, 5}));
  EXPECT_EQ(along(CumulativeKind::min, Order::backward), Tensor(Shape{4}, std::vector<double>{-3, -3, 0, 5}));
  EXPECT_NEAR(along(CumulativeKind::logsumexp).at(3), std::log(std::exp(2) + std::exp(-3) + 1 + std::exp(5)),
              1e-14);
}

TEST(cumulative, has_the_derivative_of_products_where_factors_are_0) {
  auto tangent = [](const Arrays& x) {
    return *Cumulative{CumulativeKind::prod, Dim{0}}.jvp({x[0]}, {x[1]}).tangents[0];
  };
  EXPECT_EQ(computed_by(tangent, {Tensor(Shape{3}, std::vector<double>{2, 0, 3}),
                                  Tensor(Shape{3}, std::vector<double>{1, 10, 100})}),
            Tensor(Shape{3}, std::vector<double>{1, 20, 60}));
}

TEST(cumulative, shares_the_derivative_of_equal_extremes) {
  auto tangent = [](const Arrays& x) {
    return *Cumulative{CumulativeKind::max, Dim{0}}.jvp({x[0]}, {x[1]}).tangents[0];
  };
  EXPECT_EQ(computed_by(tangent, {Tensor(Shape{3}, std::vector<double>{4, 4, 1}),
                                  Tensor(Shape{3}, std::vector<double>{1, 3, 100})}),
            Tensor(Shape{3}, std::vector<double>{1, 2, 2}));
}

// As logaddexp, pair by pair: equal terms have half of the derivative each, 0 at smaller ones.
TEST(cumlogsumexp, shares_the_derivative_where_it_is_infinite) {
  auto tangent = [](const Arrays& x) {
    return *Cumulative{CumulativeKind::logsumexp, Dim{0}}.jvp({x[0]}, {x[1]}).tangents[0];
  };
  auto along = [&](const std::vector<double>& x) {
    return computed_by(tangent, {Tensor(Shape{3}, x), Tensor(Shape{3}, std::vector<double>{1, 3, 100})});
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(along({-infinity, -infinity, 0}), Tensor(Shape{3}, std::vector<double>{1, 2, 100}));
  EXPECT_EQ(along({infinity, infinity, 0}), Tensor(Shape{3}, std::vector<double>{1, 2, 2}));
  EXPECT_EQ(along({0, infinity, -infinity}), Tensor(Shape{3}, std::vector<double>{1, 3, 3}));
}

TEST(cumulative, refuses_dtypes_without_the_fold) {
  EXPECT_EQ(refusal_of(Cumulative{CumulativeKind::prod, Dim{0}}, {Type(DType::boolean, {3})}),
            "T007: bool[3] is bool, which has no product (cumprod_c2); use cummin for \"all so far\", or "
            "convert it: "
            "convert(x, DType::i32)");
  EXPECT_EQ(refusal_of(Cumulative{CumulativeKind::logsumexp, Dim{0}}, {Type(DType::i32, {3})}),
            "T007: i32[3] is not of floats, so it has no exponentials here (cumlogsumexp_c2); convert it: "
            "convert(x, "
            "DType::f32)");
}

}  // namespace
}  // namespace tutti
