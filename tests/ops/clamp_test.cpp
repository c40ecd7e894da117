// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/clamp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

Tensor row(const std::vector<float>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}

TEST(clamp, keeps_elements_between_its_bounds) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return clamp(-1, x[0], 2); }, {row({-3, -1, 0.5, 2, 7})}),
            row({-1, -1, 0.5, 2, 2}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return clamp(-1, x[0], 2); },
                        {Tensor(Shape{3}, std::vector<std::int64_t>{-9, 1, 9})}),
            Tensor(Shape{3}, std::vector<std::int64_t>{-1, 1, 2}));
}

TEST(clamp, gives_the_upper_bound_where_the_bounds_cross) {
  EXPECT_EQ(computed(Clamp{}, {row({3, 3, 3}), row({0, 2, 5}), row({1, 1, 1})})[0], row({1, 1, 1}));
}

TEST(clamp, keeps_nan) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor y = computed_by([](const Arrays& x) { return clamp(-1, x[0], 2); }, {row({nan, 5})});
  EXPECT_TRUE(std::isnan(y.at(0)));
  EXPECT_EQ(y.at(1), 2);
}

TEST(clamp, has_no_derivative_at_its_bounds) {
  auto slope = [](const Arrays& x) {
    return *Clamp{}.jvp({x[0], x[1], x[2]}, {std::nullopt, x[3], std::nullopt}).tangents[0];
  };
  EXPECT_EQ(computed_by(slope, {row({-1, -1, -1}), row({-1, 0, 2}), row({2, 2, 2}), row({5, 6, 7})}),
            row({0, 6, 0}));
}

TEST(clamp, broadcasts_its_bounds) {
  EXPECT_EQ(program_text({Type(DType::f32, {2, 3}), Type(DType::f32, {3})},
                         [](const Arrays& x) { return clamp(x[1], x[0], 1.0); }),
            "program(%0: f32[2,3], %1: f32[3]) {\n"
            "  %2: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[1]} %1\n"
            "  %3: f32[] = constant{value=1}\n"
            "  %4: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[]} %3\n"
            "  %5: f32[2,3] = clamp %2, %0, %4\n"
            "  return %5\n}\n");
}

TEST(clamp, rejects_a_bound_of_another_shape_c1) {
  EXPECT_EQ(refusal_of(Clamp{}, {Type(DType::f32, {3}), Type(DType::f32, {2, 3}), Type(DType::f32, {2, 3})}),
            "T005: f32[2,3] and f32[3] have different shapes; use broadcast_in_dim first");
}

TEST(clamp, rejects_a_bound_of_another_dtype_c3) {
  EXPECT_EQ(refusal_of(Clamp{}, {Type(DType::f32, {3}), Type(DType::f32, {3}), Type(DType::i32, {3})})
                .substr(0, 44),
            "T007: f32[3] and i32[3] have different dtype");
}

TEST(clamp, rejects_bool) {
  Type x(DType::boolean, {3});
  EXPECT_EQ(refusal_of(Clamp{}, {x, x, x}),
            "T007: bool[3] is bool, which has nothing between its bounds; use logical_and and logical_or");
}

TEST(clamp, types_its_rules) { EXPECT_EQ(mistyped_rules(Clamp::examples()), std::vector<std::string>{}); }

}  // namespace
}  // namespace tutti
