// SPDX-License-Identifier: Apache-2.0
// Operations with too few or too many operands, regions, region arguments or results.
#include <gtest/gtest.h>

#include "tests/read/harness.hpp"

namespace tutti {
namespace {

std::string refusal_of(const std::string& lines) {
  const std::string said = refusal_of_text(module_of("(%x: tensor<2xf32>) -> tensor<2xf32>", lines));
  return said.substr(0, said.find('\n'));
}

const std::string returned = "\nreturn %r : tensor<2xf32>";

TEST(structure, operands_are_counted) {
  EXPECT_EQ(refusal_of(R"(%r = "stablehlo.add"(%x) : (tensor<2xf32>) -> tensor<2xf32>)" + returned),
            "S001 text:2:6: stablehlo.add has 1 operand; it takes 2");
  EXPECT_EQ(refusal_of(R"(%r = "stablehlo.concatenate"() : () -> tensor<2xf32>)" + returned),
            "S001 text:2:6: stablehlo.concatenate has 0 operands; it takes at least 1");
  EXPECT_EQ(refusal_of(R"(%r = stablehlo.composite "chlo.erf" %x, %x {decomposition = @main} : )"
                       "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>" +
                       returned),
            "S001 text:2:6: stablehlo.composite: chlo.erf has 2 operands; it takes 1");
}

TEST(structure, regions_are_counted) {
  EXPECT_EQ(refusal_of(R"(%r = "stablehlo.while"(%x) : (tensor<2xf32>) -> tensor<2xf32>)" + returned),
            "S001 text:2:6: stablehlo.while has 0 regions; it takes 2");
  EXPECT_EQ(refusal_of("%i = stablehlo.constant dense<0> : tensor<i32>\n"
                       R"(%r = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<2xf32>)" +
                       returned),
            "S001 text:3:6: stablehlo.case has no regions");
  EXPECT_EQ(refusal_of(R"(%r = "stablehlo.sort"(%x) ({
^bb0(%a: tensor<f32>):
stablehlo.return %a : tensor<f32>
}) : (tensor<2xf32>) -> tensor<2xf32>)" +
                       returned),
            "S001 text:2:6: a region of stablehlo.sort with 1 operand has 1 argument; it takes 2");
}

TEST(structure, a_block_ends_in_one_return_of_all_results) {
  EXPECT_EQ(refusal_of("%r = stablehlo.add %x, %x : tensor<2xf32>"),
            "S001 text:1:11: a block of @main ends without a return");
  EXPECT_EQ(refusal_of("return %x : tensor<2xf32>" + std::string("\nreturn %x : tensor<2xf32>")),
            "S001 text:2:1: func.return stands before the end of its block");
  EXPECT_EQ(refusal_of("return %x, %x : tensor<2xf32>, tensor<2xf32>"),
            "S001 text:2:1: func.return returns 2 values, but @main has 1 result");
  EXPECT_EQ(refusal_of("%n = stablehlo.constant dense<0> : tensor<i32>\n"
                       R"(%r = "stablehlo.case"(%n) ({
stablehlo.return %x, %x : tensor<2xf32>, tensor<2xf32>
}) : (tensor<i32>) -> tensor<2xf32>)" +
                       returned),
            "S001 text:4:1: stablehlo.return returns 2 values, but stablehlo.case has 1 result");
}

/// A region that looks like a sum, and is none.
TEST(structure, a_map_returns_its_results) {
  const MapText map{.in = "<@mesh, [{\"x\"}]>",
                    .out = "<@mesh, [{\"x\"}]>",
                    .whole = "tensor<8xf32>",
                    .part = "tensor<2xf32>",
                    .result = "tensor<2xf32>",
                    .whole_result = "tensor<8xf32>"};
  EXPECT_NE(refusal_of_text(map_of(map, "sdy.return %a, %a : tensor<2xf32>, tensor<2xf32>"))
                .find("sdy.return returns 2 values, but sdy.manual_computation has 1 result"),
            std::string::npos);
}

TEST(structure, a_constant_has_the_type_of_its_result) {
  EXPECT_EQ(refusal_of(R"(%r = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf64>}> : () -> )"
                       "tensor<2xf32>" +
                       returned),
            "S001 text:2:6: stablehlo.constant: the value is tensor<2xf64>, but the result is tensor<2xf32>");
}

TEST(structure, a_reducer_returns_what_it_computes) {
  const auto reduced_by = [](const std::string& result) {
    return refusal_of_text(
        module_of("(%x: tensor<2xf32>) -> tensor<f32>", "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                                        R"(%r = "stablehlo.reduce"(%x, %z) ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%c = stablehlo.add %a, %b : tensor<f32>
stablehlo.return )" + result + R"( : tensor<f32>
}) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
return %r : tensor<f32>)"));
  };
  EXPECT_EQ(reduced_by("%c"), "accepted");
  EXPECT_TRUE(reduced_by("%b").starts_with("S002")) << reduced_by("%b");
}

}  // namespace
}  // namespace tutti
