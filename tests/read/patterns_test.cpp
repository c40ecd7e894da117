// SPDX-License-Identifier: Apache-2.0
// Texts that look like a pattern that is known, and compute something else.
#include <gtest/gtest.h>

#include "tests/read/harness.hpp"
#include "tests/support/print.hpp"

namespace tutti {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

const Tensor four(Shape{4}, Floats{3, -7, 5, 2});

/// A reduction of the argument and its places by these lines on %v, %i and %w, %j.
std::string arg_reduction(const std::string& lines, const std::string& type = "f32",
                          const std::string& init = "0xFF800000", const std::string& index = "i32") {
  const std::string v = "tensor<" + type + ">", n = "tensor<4x" + type + ">", i = "tensor<" + index + ">";
  return module_of(
      "(%x: " + n + ") -> (" + v + ", " + i + ")",
      "%places = stablehlo.iota dim = 0 : tensor<4x" + index + ">\n%low = stablehlo.constant dense<" + init +
          "> : " + v + "\n%zero = stablehlo.constant dense<0> : " + i +
          "\n%r:2 = \"stablehlo.reduce\"(%x, %places, %low, %zero) <{dimensions = array<i64: 0>}> "
          "({\n^bb0(%v: " +
          v + ", %i: " + i + ", %w: " + v + ", %j: " + i + "):\n" + lines +
          "\nstablehlo.return %a, %b : " + v + ", " + i + "\n}) : (" + n + ", tensor<4x" + index + ">, " + v +
          ", " + i + ") -> (" + v + ", " + i + ")\nreturn %r#0, %r#1 : " + v + ", " + i);
}

const std::string greater =
    "%c = stablehlo.compare GT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%n = stablehlo.compare NE, %v, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%e = stablehlo.compare EQ, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%l = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "%el = stablehlo.and %e, %l : tensor<i1>\n%cn = stablehlo.or %c, %n : tensor<i1>\n"
    "%t = stablehlo.or %cn, %el : tensor<i1>\n";

TEST(arg_reduction, is_the_largest_and_its_place) {
  const std::string text =
      arg_reduction(greater + "%a = stablehlo.select %cn, %v, %w : tensor<i1>, tensor<f32>\n"
                              "%b = stablehlo.select %t, %i, %j : tensor<i1>, tensor<i32>");
  const Tensors found = run_text(text, {four});
  EXPECT_EQ(found[0].at(0), 5);
  EXPECT_EQ(found[1].at(0), 2);
  EXPECT_NE(program_text(text).find("argmax"), std::string::npos);
}

TEST(arg_reduction, of_another_kind_is_refused) {
  const auto expect_refused = [](const std::string& text) {
    EXPECT_TRUE(refusal_of_text(text).starts_with("S002")) << refusal_of_text(text);
  };
  expect_refused(  // the smaller value with the place of the larger one
      arg_reduction(greater + "%a = stablehlo.select %cn, %w, %v : tensor<i1>, tensor<f32>\n"
                              "%b = stablehlo.select %t, %i, %j : tensor<i1>, tensor<i32>"));
  const std::string of_sizes =
      "%z = stablehlo.constant dense<0> : tensor<i32>\n"
      "%p = stablehlo.compare LT, %v, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%m = stablehlo.negate %v : tensor<i32>\n"
      "%s = stablehlo.select %p, %m, %v : tensor<i1>, tensor<i32>\n"
      "%c = stablehlo.compare GE, %s, %w : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%a = stablehlo.select %c, %v, %w : tensor<i1>, tensor<i32>\n"
      "%b = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>";
  expect_refused(arg_reduction(of_sizes, "i32", "-2147483648"));
  const std::string of_whole_numbers =
      "%f = stablehlo.convert %v : (tensor<f32>) -> tensor<i32>\n"
      "%g = stablehlo.convert %w : (tensor<f32>) -> tensor<i32>\n"
      "%c = stablehlo.compare GE, %f, %g : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%a = stablehlo.select %c, %v, %w : tensor<i1>, tensor<f32>\n"
      "%b = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>";
  expect_refused(arg_reduction(of_whole_numbers));
}

TEST(arg_reduction, has_places_of_any_integer) {
  const std::string text =
      arg_reduction("%c = stablehlo.compare GE, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                    "%n = stablehlo.compare NE, %v, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                    "%t = stablehlo.or %c, %n : tensor<i1>\n"
                    "%a = stablehlo.select %t, %v, %w : tensor<i1>, tensor<f32>\n"
                    "%b = stablehlo.select %t, %i, %j : tensor<i1>, tensor<i8>",
                    "f32", "0xFF800000", "i8");
  EXPECT_EQ(run_text(text, {four})[1], Tensor::scalar(std::int8_t{2}));
}

std::string sorted(const std::string& lines, const std::string& type = "f32") {
  const std::string v = "tensor<" + type + ">", n = "tensor<4x" + type + ">";
  return module_of("(%x: " + n + ") -> " + n,
                   "%r = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n^bb0(%v: " + v +
                       ", %w: " + v + "):\n" + lines + "\nstablehlo.return %c : tensor<i1>\n}) : (" + n +
                       ") -> " + n + "\nreturn %r : " + n);
}

TEST(sort_order, of_another_kind_is_refused) {
  const auto expect_refused = [](const std::string& text) {
    EXPECT_TRUE(refusal_of_text(text).starts_with("S002")) << refusal_of_text(text);
  };
  expect_refused(sorted("%a = stablehlo.convert %v : (tensor<f32>) -> tensor<i32>\n"
                        "%b = stablehlo.convert %w : (tensor<f32>) -> tensor<i32>\n"
                        "%c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>"));
  expect_refused(sorted("%a = stablehlo.abs %v : tensor<i32>\n%b = stablehlo.abs %w : tensor<i32>\n"
                        "%c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                        "i32"));
  expect_refused(sorted("%l = stablehlo.compare LT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                        "%n = stablehlo.compare NE, %v, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                        "%e = stablehlo.compare EQ, %w, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                        "%f = stablehlo.and %n, %e : tensor<i1>\n%c = stablehlo.or %l, %f : tensor<i1>"));
  expect_refused(sorted("%t = stablehlo.constant dense<2.0> : tensor<f32>\n"
                        "%c = stablehlo.compare LT, %v, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>"));
}

TEST(sort_order, may_leave_open_where_nan_stands) {
  const std::string text =
      sorted("%c = stablehlo.compare LT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>");
  EXPECT_EQ(run_text(text, {four})[0], Tensor(Shape{4}, Floats{-7, 2, 3, 5}));
}

TEST(sort_order, knows_constants_of_outside) {
  const std::string inside =
      sorted("%e = stablehlo.compare EQ, %v, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
             "%a = stablehlo.select %e, %z, %v : tensor<i1>, tensor<f32>\n"
             "%c = stablehlo.compare LT, %a, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>");
  std::string text = inside;
  text.insert(text.find("%r ="), "%z = stablehlo.constant dense<0.0> : tensor<f32>\n");
  EXPECT_EQ(run_text(text, {four})[0], Tensor(Shape{4}, Floats{-7, 2, 3, 5}));
  text.replace(text.find("dense<0.0>"), 10, "dense<1.0>");
  EXPECT_TRUE(refusal_of_text(text).starts_with("S002")) << refusal_of_text(text);
}

TEST(scatter_region, replaces_only_where_it_returns_the_update) {
  const auto scatter = [](const std::string& lines) {
    return module_of("(%x: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<f32>) -> tensor<4xf32>",
                     "%r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = "
                     "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> "
                     "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" +
                         lines +
                         "\nstablehlo.return %s : tensor<f32>\n}) : (tensor<4xf32>, tensor<1xi32>, "
                         "tensor<f32>) -> tensor<4xf32>\nreturn %r : tensor<4xf32>");
  };
  EXPECT_TRUE(
      refusal_of_text(scatter("%s = stablehlo.constant dense<2.0> : tensor<f32>")).starts_with("S002"));
  EXPECT_TRUE(
      refusal_of_text(scatter("%c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                              "%s = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>"))
          .starts_with("S002"));
}

TEST(running_window, of_one_element_is_that_element) {
  const std::string text =
      module_of("(%x: tensor<4xf32>) -> tensor<4xf32>",
                "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                "%r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1>}> ({\n"
                "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\n"
                "stablehlo.return %s : tensor<f32>\n}) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"
                "return %r : tensor<4xf32>");
  EXPECT_EQ(run_text(text, {four})[0], four);
}

TEST(moving_window, has_as_many_numbers_as_its_operand_has_dims) {
  const auto said = [](const std::string& numbers) {
    return refusal_of_text(module_of(
        "(%x: tensor<4xf32>) -> tensor<2xf32>",
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "%r = \"stablehlo.reduce_window\"(%x, %z) <{" +
            numbers +
            "}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\n"
            "stablehlo.return %s : tensor<f32>\n}) : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>\n"
            "return %r : tensor<2xf32>"));
  };
  const std::string window = "window_dimensions = array<i64: 2>, ";
  EXPECT_NE(said("window_dimensions = array<i64: 2, 1>").find("2 numbers of window_dimensions for 1 dims"),
            std::string::npos);
  EXPECT_NE(said(window + "window_strides = array<i64>").find("0 numbers of window_strides for 1 dims"),
            std::string::npos);
  EXPECT_NE(said(window + "padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>")
                .find("4 numbers of padding for 1 dims; expected 2"),
            std::string::npos);
}

TEST(running_window, of_another_reducer_is_refused) {
  const auto running = [](const std::string& first) {
    return module_of(
        "(%x: tensor<4xf32>) -> tensor<4xf32>",
        "%z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
        "%r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 4>, padding = "
        "dense<[[3, 0]]> : tensor<1x2xi64>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" +
            first +
            "%d = stablehlo.subtract %a, %b : tensor<f32>\n"
            "%n = stablehlo.compare NE, %d, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "%p = stablehlo.add %a, %b : tensor<f32>\n%e = stablehlo.abs %d : tensor<f32>\n"
            "%f = stablehlo.negate %e : tensor<f32>\n%g = stablehlo.exponential %f : tensor<f32>\n"
            "%h = stablehlo.log_plus_one %g : tensor<f32>\n%i = stablehlo.add %m, %h : tensor<f32>\n"
            "%s = stablehlo.select %n, %p, %i : tensor<i1>, tensor<f32>\n"
            "stablehlo.return %s : tensor<f32>\n}) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"
            "return %r : tensor<4xf32>");
  };
  const std::string known = running("%m = stablehlo.maximum %a, %b : tensor<f32>\n");
  EXPECT_NE(program_text(known).find("cumlogsumexp"), std::string::npos) << program_text(known);
  EXPECT_TRUE(refusal_of_text(running("%m = stablehlo.minimum %a, %b : tensor<f32>\n")).starts_with("S002"));
}

TEST(reduction, begins_with_an_init_near_the_largest_integer) {
  const auto smallest = [](const std::string& init) {
    return run_text(module_of("(%x: tensor<2xi64>) -> tensor<i64>",
                              "%z = stablehlo.constant dense<" + init +
                                  "> : tensor<i64>\n%r = stablehlo.reduce(%x init: %z) applies "
                                  "stablehlo.minimum across dimensions = [0] : (tensor<2xi64>, tensor<i64>) "
                                  "-> tensor<i64>\nreturn %r : tensor<i64>"),
                    {Tensor(Shape{2}, Longs{9223372036854775807, 9223372036854775806})})[0];
  };
  EXPECT_EQ(smallest("9223372036854775800"), Tensor::scalar(std::int64_t{9223372036854775800}));
  EXPECT_EQ(smallest("9223372036854775807"), Tensor::scalar(std::int64_t{9223372036854775806}));
}

/// A loop over (count, flag, %x) whose condition and body are these lines.
std::string loop(const std::string& condition, const std::string& body) {
  return module_of(
      "(%x: tensor<f32>) -> (tensor<i32>, tensor<f32>)",
      "%z = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n"
      "%five = stablehlo.constant dense<5> : tensor<i32>\n%yes = stablehlo.constant dense<true> : "
      "tensor<i1>\n"
      "%up = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "%w:3 = \"stablehlo.while\"(%z, %yes, %x) ({\n^bb0(%i: tensor<i32>, %p: tensor<i1>, %a: "
      "tensor<f32>):\n" +
          condition + "\n}, {\n^bb0(%i: tensor<i32>, %p: tensor<i1>, %a: tensor<f32>):\n" + body +
          "\n}) : (tensor<i32>, tensor<i1>, tensor<f32>) -> (tensor<i32>, tensor<i1>, tensor<f32>)\n"
          "return %w#0, %w#2 : tensor<i32>, tensor<f32>");
}
const std::string counts =
    "%c = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>\n";
const std::string next = "%n = stablehlo.add %i, %one : tensor<i32>\n";

TEST(counted_loop, ends_where_its_condition_says) {
  const std::string text =
      loop(counts + "stablehlo.return %p : tensor<i1>",
           next + "%two = stablehlo.constant dense<2> : tensor<i32>\n"
                  "%q = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                  "%b = stablehlo.add %a, %up : tensor<f32>\n"
                  "stablehlo.return %n, %q, %b : tensor<i32>, tensor<i1>, tensor<f32>");
  const Tensors found = run_text(text, {Tensor::scalar(0.0F)});
  EXPECT_EQ(found[0].at(0), 3);
  EXPECT_EQ(found[1].at(0), 3);
}

TEST(counted_loop, may_use_the_next_count) {
  const std::string text = loop(counts + "stablehlo.return %c : tensor<i1>",
                                next + "%f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>\n"
                                       "%b = stablehlo.add %a, %f : tensor<f32>\n"
                                       "stablehlo.return %n, %p, %b : tensor<i32>, tensor<i1>, tensor<f32>");
  EXPECT_EQ(run_text(text, {Tensor::scalar(0.0F)})[1].at(0), 15);
  EXPECT_NE(program_text(text).find("scan{"), std::string::npos);
}

TEST(digits_of_a_device, are_whole_numbers) {
  const MapText by_x{.in = "<@mesh, [{\"x\"}]>",
                     .out = "<@mesh, [{\"x\"}]>",
                     .whole = "tensor<4xf32>",
                     .part = "tensor<1xf32>",
                     .result = "tensor<1xf32>",
                     .whole_result = "tensor<4xf32>"};
  const std::string text =
      map_of(by_x,
             "%id = stablehlo.partition_id : tensor<ui32>\n"
             "%f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>\n"
             "%two = stablehlo.constant dense<2.0> : tensor<f32>\n"
             "%four = stablehlo.constant dense<4.0> : tensor<f32>\n"
             "%q = stablehlo.divide %f, %four : tensor<f32>\n%r0 = stablehlo.divide %q, %two : tensor<f32>\n"
             "%b = stablehlo.reshape %r0 : (tensor<f32>) -> tensor<1xf32>\n"
             "sdy.return %b : tensor<1xf32>");
  EXPECT_EQ(run_text(text, {four})[0], Tensor(Shape{4}, Floats{0, 0.25, 0.5, 0.75}));
}

TEST(operation, rounds_halves_away_from_zero) {
  const std::string text =
      module_of("(%x: tensor<8xf32>) -> tensor<8xf32>",
                "%r = stablehlo.round_nearest_afz %x : tensor<8xf32>\nreturn %r : tensor<8xf32>");
  const Tensor x(Shape{8}, Floats{0.5F, -0.5F, 1.5F, -2.5F, 0.49999997F, 8388609.0F, -0.2F, HUGE_VALF});
  EXPECT_EQ(run_text(text, {x})[0], Tensor(Shape{8}, Floats{1, -1, 2, -3, 0, 8388609.0F, -0.0F, HUGE_VALF}));
}

TEST(operation, multiplies_bools) {
  const std::string text =
      module_of("(%x: tensor<2x3xi1>, %y: tensor<3xi1>) -> tensor<2xi1>",
                "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
                "(tensor<2x3xi1>, tensor<3xi1>) -> tensor<2xi1>\nreturn %r : tensor<2xi1>");
  const auto bools = [](const Shape& shape, std::initializer_list<int> values) {
    Tensor tensor(shape, DType::boolean);
    std::byte* at = tensor.mutable_bytes();
    for (const int value : values) *at++ = static_cast<std::byte>(value);
    return tensor;
  };
  EXPECT_EQ(run_text(text, {bools({2, 3}, {1, 0, 1, 0, 1, 0}), bools({3}, {1, 0, 1})})[0],
            bools({2}, {1, 0}));
}

TEST(operation, has_dims_that_an_array_can_have) {
  EXPECT_NE(refusal_of_text(module_of("(%x: tensor<4xf32>) -> tensor<4xf32>",
                                      "%r = stablehlo.reverse %x, dims = [4294967296] : tensor<4xf32>\n"
                                      "return %r : tensor<4xf32>"))
                .find("there is no dim 4294967296"),
            std::string::npos);
}

}  // namespace
}  // namespace tutti
