// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/activations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/functions/on_one_device.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

void expect_near(const Tensor& found, const std::vector<double>& want) {
  ASSERT_EQ(found.elements(), static_cast<std::int64_t>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(found.at(static_cast<std::int64_t>(i)), want[i], 1e-15 * (1 + std::fabs(want[i]))) << i;
}

TEST(gelu, by_tanh_and_by_erfc) {
  expect_near(on_one_device({doubles({0, 1, -2, 40, -40})}, [](const Arrays& a) { return gelu(a[0]); }),
              {0, 0.84119199060827676, -0.045402305912224941, 40, 0});
  expect_near(on_one_device({doubles({0, 1, -2, 40, -10})},
                            [](const Arrays& a) { return gelu(a[0], {.approximate = false}); }),
              {0, 0.84134474606854293, -0.045500263896358417, 40, -7.6198530241605261e-23});
}

TEST(silu, is_x_times_logistic) {
  expect_near(on_one_device({doubles({0, 1, -1, 800, -800})}, [](const Arrays& a) { return silu(a[0]); }),
              {0, 0.73105857863000490, -0.26894142136999510, 800, 0});
}

TEST(elu, of_large_numbers_has_a_finite_slope) {
  const auto function = [](const Arrays& a) { return elu(a[0], 2); };
  expect_near(on_one_device({doubles({3, 0, -1, -inf})}, function), {3, 0, 2 * std::expm1(-1.0), -2});
  expect_near(slope_on_one_device({doubles({1e300, -1, 0})}, function), {1, 2 * std::exp(-1.0), 2});
}

TEST(selu, has_its_constants) {
  expect_near(on_one_device({doubles({1, -inf})}, [](const Arrays& a) { return selu(a[0]); }),
              {1.0507009873554805, -1.7580993408473766});
}

TEST(softplus, and_log_sigmoid_neither_overflow_nor_underflow) {
  expect_near(on_one_device({doubles({0, 1000, -1000, -40})}, [](const Arrays& a) { return softplus(a[0]); }),
              {0.69314718055994531, 1000, 0, std::exp(-40.0)});
  expect_near(on_one_device({doubles({0, 1000, -1000})}, [](const Arrays& a) { return log_sigmoid(a[0]); }),
              {-0.69314718055994531, 0, -1000});
  expect_near(slope_on_one_device({doubles({0, 1000, -1000})},
                                  [](const Arrays& a) { return softplus(a[0]); }),
              {0.5, 1, 0});
}

TEST(softplus, and_log_sigmoid_have_the_slope_nan_at_nan) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(
      slope_on_one_device({doubles({nan})}, [](const Arrays& a) { return softplus(a[0]); }).at(0)));
  EXPECT_TRUE(std::isnan(
      slope_on_one_device({doubles({nan})}, [](const Arrays& a) { return log_sigmoid(a[0]); }).at(0)));
}

TEST(leaky_relu, and_hard_tanh_have_the_slopes_of_jax_at_their_kinks) {
  expect_near(on_one_device({doubles({2, 0, -2})}, [](const Arrays& a) { return leaky_relu(a[0]); }),
              {2, 0, -0.02});
  expect_near(slope_on_one_device({doubles({2, 0, -2})},
                                  [](const Arrays& a) { return leaky_relu(a[0], 0.25); }),
              {1, 1, 0.25});
  expect_near(on_one_device({doubles({2, 0.5, -2})}, [](const Arrays& a) { return hard_tanh(a[0]); }),
              {1, 0.5, -1});
  expect_near(slope_on_one_device({doubles({2, 1, -1, -2})}, [](const Arrays& a) { return hard_tanh(a[0]); }),
              {0, 1, 1, 0});
}

TEST(glu, gates_the_first_half) {
  const Tensor x(Shape{2, 4}, std::vector<double>{1, 2, 0, 0, 3, 4, 0, 1000});
  EXPECT_EQ(on_one_device({x}, [](const Arrays& a) { return glu(a[0]); }),
            Tensor(Shape({2, 2}), std::vector<double>{0.5, 1, 1.5, 4}));
  EXPECT_EQ(on_one_device({x}, [](const Arrays& a) { return glu(a[0], -2); }).shape(), Shape({1, 4}));
  EXPECT_EQ(on_one_device({doubles({})}, [](const Arrays& a) { return glu(a[0]); }).shape(), Shape({0}));
}

TEST(glu, refuses_an_odd_size_and_a_dim_out_of_range) {
  const auto refusal = [](const Shape& shape, int dim) {
    return refusal_of(
        [&] { trace({Type(DType::f32, shape)}, [&](const Arrays& x) { return Arrays{glu(x[0], dim)}; }); });
  };
  EXPECT_EQ(refusal({2, 3}, -1), "T005: glu: dim -1 of f32[2,3] has no halves; its size must be even");
  EXPECT_EQ(refusal({2, 4}, 2), "T006: glu: dim 2 is out of range for f32[2,4], which has dims -2 to 1");
}

}  // namespace
}  // namespace tutti
