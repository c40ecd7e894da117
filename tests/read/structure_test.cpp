// SPDX-License-Identifier: Apache-2.0
// Operations with too few or too many operands, regions, region arguments or results.
#include <fmt/format.h>

#include <gtest/gtest.h>
#include <time.h>

#include "tests/read/harness.hpp"
#include "tutti/read/source.hpp"

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

/// Reads a function of one line, and asks for the place of each operation. Returns the processor time of this
/// thread.
double seconds_to_read(int operations) {
  std::string line = "func.func @main(%a0: tensor<2xf32>) -> tensor<2xf32> { ";
  for (int i = 0; i < operations; ++i)
    line +=
        fmt::format("%a{} = \"stablehlo.negate\"(%a{}) {{a.b = #stablehlo.conv<[b, f]x[i, o]->[b, f]>}} : "
                    "(tensor<2xf32>) -> tensor<2xf32> ",
                    i + 1, i);
  const std::size_t last = line.size();
  line += fmt::format("return %a{} : tensor<2xf32> }}", operations);
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  const SourceModule source(line, "line");
  EXPECT_TRUE(source.errors().empty());
  Where place;
  for (const stablehlo::Operation& op : source.module().functions.at(0).body.operations)
    place = source.place(op);
  const double seconds = now() - begin;
  EXPECT_EQ(place.line, 1);
  EXPECT_EQ(place.column, last + 1);
  return seconds;
}

/// Counting the columns of each operation from the start of the line takes the square of the time: the long
/// line took four minutes.
TEST(structure, a_line_is_read_in_time_of_its_length) {
  constexpr int operations = 1000, times_as_many = 32;
  const double shorter = seconds_to_read(operations);
  EXPECT_LT(seconds_to_read(times_as_many * operations), 10 * times_as_many * shorter);
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
            "S001 text:4:1: stablehlo.return returns 2 values, but a region of stablehlo.case returns 1");
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
                .find("sdy.return returns 2 values, but a region of sdy.manual_computation returns 1"),
            std::string::npos);
}

TEST(structure, a_loop_returns_its_carries) {
  const auto loop = [](const std::string& condition, const std::string& body) {
    return refusal_of("%n = stablehlo.constant dense<3> : tensor<i32>\n"
                      R"(%w:2 = "stablehlo.while"(%x, %n) ({
^bb0(%a: tensor<2xf32>, %i: tensor<i32>):
%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
)" + condition + R"(
}, {
^bb0(%a: tensor<2xf32>, %i: tensor<i32>):
)" + body + R"(
}) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
return %w#0 : tensor<2xf32>)");
  };
  const std::string test = "stablehlo.return %c : tensor<i1>";
  EXPECT_EQ(loop(test, "stablehlo.return"),
            "S001 text:9:1: stablehlo.return returns 0 values, but a region of stablehlo.while returns 2");
  EXPECT_EQ(loop("stablehlo.return", "stablehlo.return %a, %i : tensor<2xf32>, tensor<i32>"),
            "S001 text:6:1: stablehlo.return returns 0 values, but a region of stablehlo.while returns 1");
  EXPECT_EQ(
      loop(test, "stablehlo.return %i, %a : tensor<i32>, tensor<2xf32>"),
      "S001 text:9:1: stablehlo.return has tensor<i32>, but result 0 of stablehlo.while is tensor<2xf32>");
}

TEST(structure, types_of_functions_are_those_of_their_calls) {
  EXPECT_EQ(refusal_of_text("func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n"
                            "return %x : tensor<2xf32>\n}\n")
                .substr(0, 81),
            "S001 text:2:1: func.return has tensor<2xf32>, but result 0 of @main is tensor<3xf");
  const std::string callee = "func.func private @f(%a: tensor<2xi32>) -> tensor<2xf32> {\n"
                             "%b = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xf32>\n"
                             "return %b : tensor<2xf32>\n}\n";
  const std::string said =
      refusal_of_text(module_of("(%x: tensor<2xf32>) -> tensor<2xf32>",
                                "%r = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>" + returned) +
                      callee);
  EXPECT_NE(said.find("func.call has tensor<2xf32>, but argument 0 of @f is tensor<2xi32>"),
            std::string::npos)
      << said;
  EXPECT_NE(refusal_of_text(module_of("() -> tensor<i32>", "%r = stablehlo.constant dense<1> : tensor<i32>\n"
                                                           "return %r : tensor<i32>") +
                            callee + callee)
                .find("there are two functions @f"),
            std::string::npos);
}

TEST(structure, chains_of_calls_end_in_an_error) {
  std::string text = module_of("(%x: tensor<f32>) -> tensor<f32>",
                               "%r = call @f0(%x) : (tensor<f32>) -> tensor<f32>\nreturn %r : tensor<f32>");
  constexpr int functions = 100'000;
  for (int i = 0; i < functions; ++i)
    text += "func.func private @f" + std::to_string(i) + "(%x: tensor<f32>) -> tensor<f32> {\n%r = call @f" +
            std::to_string((i + 1) % functions) +
            "(%x) : (tensor<f32>) -> tensor<f32>\nreturn %r : tensor<f32>\n}\n";
  EXPECT_NE(refusal_of_text(text).find("are 200 deep: a recursion, or a chain that is too long here"),
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
