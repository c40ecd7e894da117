// SPDX-License-Identifier: Apache-2.0
// Programs in the form of Nx's EXLA: generic operations, shardings with open dims on all parameters, and a
// first parameter of u8, which names a process and is not used. Each device holds its part: 2x2 devices.
// Source: https://github.com/elixir-nx/nx, exla/test/exla/sharding_test.exs
#include <gtest/gtest.h>

#include "tests/read/harness.hpp"

namespace tutti {
namespace {

using Floats = std::vector<float>;

std::string exla_module(const std::string& parameters, const std::string& result, const std::string& lines) {
  return R"(module @exla attributes {mhlo.num_partitions = 4 : i32} {
"sdy.mesh"() <{mesh = #sdy.mesh<["axis_0"=2, "axis_1"=2]>, sym_name = "mesh"}> : () -> ()
func.func public @main(%pid: tensor<ui8>, )" +
         parameters + ") -> " + result + " {\n" + lines + "}\n}\n";
}

std::string gathered(const std::string& result, const std::string& operand, const std::string& dim,
                     const std::string& groups, const std::string& types) {
  return result + " = \"stablehlo.all_gather\"(" + operand + ") {all_gather_dim = " + dim +
         " : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<" +
         groups + "> : tensor<2x2xi64>, use_global_device_ids} : " + types + "\n";
}

const std::string open = R"( {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0", ?}p0, {"axis_1", ?}p0]>})";

Tensor pids() { return {Shape{4}, std::vector<std::uint8_t>{0, 0, 0, 0}}; }

TEST(nx, gathers_a_sum_along_both_axes) {
  const std::string text =
      exla_module("%x: tensor<4x1xf32>" + open + ", %y: tensor<4x1xf32>" + open, "tensor<8x2xf32>",
                  "%z = \"stablehlo.add\"(%x, %y) : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>\n" +
                      gathered("%g", "%z", "0", "[[0, 2], [1, 3]]", "(tensor<4x1xf32>) -> tensor<8x1xf32>") +
                      gathered("%r", "%g", "1", "[[0, 1], [2, 3]]", "(tensor<8x1xf32>) -> tensor<8x2xf32>") +
                      "\"func.return\"(%r) : (tensor<8x2xf32>) -> ()\n");
  const Floats x{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
  Floats y;
  for (const float each : x) y.push_back(100 + each);
  const Tensor found = run_text(text, {pids(), Tensor(Shape{4, 4, 1}, x), Tensor(Shape{4, 4, 1}, y)})[0];
  Floats expected;
  for (int device = 0; device < 4; ++device)
    for (int i = 0; i < 16; ++i) expected.push_back(static_cast<float>(100 + 2 * i));
  EXPECT_EQ(found, Tensor(Shape({4, 8, 2}), expected));
}

TEST(nx, gathers_one_operand_and_adds_the_other) {
  const std::string text = exla_module(
      "%x: tensor<4x1xf32>" + open +
          R"(, %y: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0", ?}p0, {?}p0]>})",
      "tensor<4x2xf32>",
      gathered("%g", "%x", "1", "[[0, 1], [2, 3]]", "(tensor<4x1xf32>) -> tensor<4x2xf32>") +
          "%r = \"stablehlo.add\"(%g, %y) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>\n"
          "\"func.return\"(%r) : (tensor<4x2xf32>) -> ()\n");
  Floats x, y;
  for (int i = 0; i < 16; ++i) x.push_back(static_cast<float>(i));
  for (const int first : {100, 100, 110, 110})
    for (int i = 0; i < 8; ++i) y.push_back(static_cast<float>(first + i));
  const Tensor found = run_text(text, {pids(), Tensor(Shape{4, 4, 1}, x), Tensor(Shape{4, 4, 2}, y)})[0];
  const Floats upper{100, 105, 103, 108, 106, 111, 109, 114}, lower{118, 123, 121, 126, 124, 129, 127, 132};
  Floats expected;
  for (const Floats& of_device : {upper, upper, lower, lower})
    expected.insert(expected.end(), of_device.begin(), of_device.end());
  EXPECT_EQ(found, Tensor(Shape({4, 4, 2}), expected));
}

}  // namespace
}  // namespace tutti
