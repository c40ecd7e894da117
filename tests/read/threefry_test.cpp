// SPDX-License-Identifier: Apache-2.0
// The random numbers of JAX, which are one operation here.
#include <gtest/gtest.h>

#include "tests/read/harness.hpp"
#include "tests/support/print.hpp"

namespace tutti {
namespace {

/// jax.random.bits(key, (3, 2)), as jax.jit(..).lower(..).as_text() of JAX 0.10 has it.
const std::string bits_of_jax = R"(
module @jit__lambda {
  func.func public @main(%arg0: tensor<2xui32>) -> (tensor<3x2xui32>) {
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %4 = stablehlo.reshape %3 : (tensor<1xui32>) -> tensor<ui32>
    %5 = stablehlo.iota dim = 0 : tensor<3x2xui64>
    %6 = stablehlo.iota dim = 1 : tensor<3x2xui64>
    %c = stablehlo.constant dense<2> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<3x2xui64>
    %8 = stablehlo.multiply %7, %5 : tensor<3x2xui64>
    %c_0 = stablehlo.constant dense<1> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<3x2xui64>
    %10 = stablehlo.multiply %9, %6 : tensor<3x2xui64>
    %11 = stablehlo.add %8, %10 : tensor<3x2xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<3x2xui64>
    %13 = stablehlo.shift_right_logical %11, %12 : tensor<3x2xui64>
    %14 = stablehlo.convert %11 : (tensor<3x2xui64>) -> tensor<3x2xui32>
    %15 = stablehlo.convert %13 : (tensor<3x2xui64>) -> tensor<3x2xui32>
    %16:2 = call @threefry2x32(%2, %4, %15, %14) : (tensor<ui32>, tensor<ui32>, tensor<3x2xui32>,
        tensor<3x2xui32>) -> (tensor<3x2xui32>, tensor<3x2xui32>)
    %17 = stablehlo.xor %16#0, %16#1 : tensor<3x2xui32>
    return %17 : tensor<3x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<3x2xui32>,
      %arg3: tensor<3x2xui32>) -> (tensor<3x2xui32>, tensor<3x2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<3x2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<3x2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5,
        %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) :
        tensor<i32>, tensor<i32>, tensor<3x2xui32>, tensor<3x2xui32>, tensor<ui32>, tensor<ui32>,
        tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8,
          %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<3x2xui32>, tensor<3x2xui32>,
          tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>,
          tensor<3x2xui32>, tensor<3x2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>,
          tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>,
          tensor<3x2xui32>, tensor<3x2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>,
          tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<3x2xui32>, tensor<3x2xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<3x2xui32>, %arg2: tensor<3x2xui32>,
      %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7:
      tensor<4xui32>) -> (tensor<i32>, tensor<3x2xui32>, tensor<3x2xui32>, tensor<ui32>, tensor<ui32>,
      tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<3x2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<3x2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<3x2xui32>
    %9 = stablehlo.or %5, %8 : tensor<3x2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<3x2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<3x2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<3x2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<3x2xui32>
    %19 = stablehlo.or %15, %18 : tensor<3x2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<3x2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<3x2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<3x2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<3x2xui32>
    %29 = stablehlo.or %25, %28 : tensor<3x2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<3x2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<3x2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<3x2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<3x2xui32>
    %39 = stablehlo.or %35, %38 : tensor<3x2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<3x2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %42 = stablehlo.add %33, %41 : tensor<3x2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %44 = stablehlo.add %40, %43 : tensor<3x2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<3x2xui32>
    %48 = stablehlo.add %44, %47 : tensor<3x2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<3x2xui32>,
        tensor<3x2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
}
)";

const Tensor seven(Shape{2}, std::vector<std::uint32_t>{0, 7});  // jax.random.key(7)

/// The text with the last `from` replaced.
std::string changed(const std::string& from, const std::string& to, std::string text = bits_of_jax) {
  const std::size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// The same numbers by other operations: the bits of these two words are apart.
std::string spelled_out(const std::string& text) { return changed("stablehlo.or", "stablehlo.xor", text); }

bool is_drawn(const std::string& text) {
  const std::string program = program_text(text);
  return program.find(" random_bits{") != std::string::npos && program.find("scan{") == std::string::npos;
}

void expect_the_numbers_of_operations(const std::string& text) {
  EXPECT_TRUE(is_drawn(text)) << program_text(text);
  EXPECT_FALSE(is_drawn(spelled_out(text)));
  EXPECT_EQ(run_text(text, {seven}), run_text(spelled_out(text), {seven})) << text;
}

TEST(threefry, is_one_draw_with_the_numbers_of_jax) {
  EXPECT_TRUE(is_drawn(bits_of_jax)) << program_text(bits_of_jax);
  const std::vector<std::uint32_t> numbers = {2895194379, 4185947648, 1300703658,
                                              1906787632, 3139134342, 2709822315};
  EXPECT_EQ(run_text(bits_of_jax, {seven})[0], Tensor(Shape({3, 2}), numbers));
  EXPECT_EQ(run_text(spelled_out(bits_of_jax), {seven})[0], Tensor(Shape({3, 2}), numbers));
}

TEST(threefry, counts_as_the_text_does) {
  expect_the_numbers_of_operations(changed("dense<2> : tensor<ui64>", "dense<3> : tensor<ui64>"));
  expect_the_numbers_of_operations(changed("dense<2> : tensor<ui64>", "dense<1> : tensor<ui64>",
                                           changed("dense<1> : tensor<ui64>", "dense<3> : tensor<ui64>")));
  expect_the_numbers_of_operations(changed("%4, %15, %14", "%4, %14, %15"));
  expect_the_numbers_of_operations(changed("%4, %15, %14", "%4, %15, %15"));
  expect_the_numbers_of_operations(changed("dense<32> : tensor<ui64>", "dense<31> : tensor<ui64>"));
}

TEST(threefry, has_two_words_and_two_keys) {
  expect_the_numbers_of_operations(changed("return %17", "return %16#0"));
  expect_the_numbers_of_operations(changed("return %17", "return %16#1"));
  expect_the_numbers_of_operations(changed("threefry2x32(%2, %4", "threefry2x32(%4, %2"));
  expect_the_numbers_of_operations(changed("stablehlo.xor %16#0", "stablehlo.add %16#0"));
  const std::string none = changed("%16#0, %16#1", "%16#0, %16#0");
  EXPECT_EQ(run_text(none, {seven})[0], Tensor(Shape({3, 2}), std::vector<std::uint32_t>(6, 0)));
}

TEST(threefry, is_no_other_function) {
  const auto expect_operations = [](const std::string& text) {
    EXPECT_FALSE(is_drawn(text)) << text;
    EXPECT_NE(run_text(text, {seven})[0], run_text(bits_of_jax, {seven})[0]);
  };
  expect_operations(changed("[13, 15, 26, 6]", "[13, 15, 26, 7]"));
  expect_operations(changed("466688986", "466688987"));
  expect_operations(changed("dense<5>", "dense<4>"));
  expect_operations(changed("%arg4, %arg5, %arg3", "%arg5, %arg4, %arg3"));
  expect_operations(changed("stablehlo.subtract", "stablehlo.add"));
  expect_operations(changed("%arg6 [3:4]", "%arg6 [2:3]"));
}

}  // namespace
}  // namespace tutti
