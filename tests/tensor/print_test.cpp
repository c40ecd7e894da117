// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/print.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace tutti {
namespace {

Tensor counted(Shape shape) {
  Tensor tensor(shape, DType::i32);
  std::iota(tensor.mutable_data<std::int32_t>(), tensor.mutable_data<std::int32_t>() + tensor.elements(), 0);
  return tensor;
}

TEST(to_string, prints_scalars_without_brackets) {
  EXPECT_EQ(to_string(Tensor::scalar(2.5F)), "2.5");
  EXPECT_EQ(to_string(Tensor::scalar(3.0)), "3.");
  EXPECT_EQ(to_string(Tensor::scalar(std::int64_t{-7})), "-7");
  EXPECT_EQ(to_string(Tensor::scalar(true)), "true");
  EXPECT_EQ(to_string(Tensor::scalar(std::uint8_t{200})), "200");
  EXPECT_EQ(to_string(Tensor::scalar(bf16(0.1F))), "0.100098");
  EXPECT_EQ(to_string(Tensor::scalar(std::complex<float>(1, -2.5F))), "1.-2.5j");
  EXPECT_EQ(to_string(Tensor::scalar(std::complex<double>(-0.5, 3))), "-0.5+3.j");
}

TEST(to_string, aligns_decimal_points) {
  EXPECT_EQ(to_string(Tensor(Shape{2, 2}, std::vector<float>{1, -2.5, 1e-7F, 0})),
            "[[    1.     -2.5]\n [1e-07       0. ]]");
  EXPECT_EQ(to_string(Tensor(Shape{2}, std::vector<bool>{true, false})), "[ true false]");
}

TEST(to_string, names_what_is_no_number) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(to_string(Tensor(Shape{4}, std::vector<double>{Limits::quiet_NaN(), Limits::infinity(),
                                                           -Limits::infinity(), -0.0})),
            "[ nan   inf  -inf    -0.]");
}

// Which sign a NaN has depends on the processor: x86 makes negative ones of 0 / 0, ARM positive ones.
TEST(to_string, prints_no_sign_of_nan) {
  const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
  ASSERT_TRUE(std::signbit(nan));
  EXPECT_EQ(to_string(Tensor::scalar(nan)), "nan");
  EXPECT_EQ(to_string(Tensor::scalar(static_cast<float>(nan))), "nan");
  EXPECT_EQ(to_string(Tensor::scalar_of(DType::bf16, nan)), "nan");
  EXPECT_EQ(to_string(Tensor::scalar(std::complex<double>(1, nan))), "1.+nanj");
}

TEST(to_string, sets_matrices_apart) {
  EXPECT_EQ(to_string(counted({2, 2, 2})), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

TEST(to_string, shows_the_ends_of_large_dimensions) {
  EXPECT_EQ(to_string(counted({2000})), "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(to_string(counted({200, 8}), {.all_elements = 9, .edge_elements = 1}),
            "[[   0 ...    7]\n ...\n [1592 ... 1599]]");
}

TEST(to_string, breaks_long_rows) {
  EXPECT_EQ(to_string(counted({10}), {.line_length = 12}), "[0 1 2 3 4\n 5 6 7 8 9]");
}

TEST(to_string, prints_empty_arrays) {
  EXPECT_EQ(to_string(Tensor(Shape{0}, DType::f32)), "[]");
  EXPECT_EQ(to_string(Tensor(Shape{2, 0}, DType::f32)), "[[]\n []]");
}

}  // namespace
}  // namespace tutti
