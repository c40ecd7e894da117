// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/write/write.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "tutti/base/error.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti::stablehlo {
namespace {

template <class T>
Attribute dense_of(std::string element, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  auto bytes = std::as_bytes(std::span(values));
  return dense({std::move(shape), std::move(element)}, {bytes.begin(), bytes.end()});
}

TEST(attribute_text, spells_each_kind_as_mlir_does) {
  EXPECT_EQ(to_string(integer(-3)), "-3 : i64");
  EXPECT_EQ(to_string(Attribute{Integer{8, "i32"}}), "8 : i32");
  EXPECT_EQ(to_string(Attribute{true}), "true");
  EXPECT_EQ(to_string(integers({1, 2})), "array<i64: 1, 2>");
  EXPECT_EQ(to_string(integers({})), "array<i64>");
  EXPECT_EQ(to_string(enumeration("comparison_direction", "LT")), "#stablehlo<comparison_direction LT>");
  EXPECT_EQ(to_string(record("channel_handle", {{"handle", integer(1)}, {"type", integer(1)}})),
            "#stablehlo.channel_handle<handle = 1, type = 1>");
  EXPECT_EQ(to_string(record("dot", {{"lhs_contracting_dimensions", integers({1, 2})}})),
            "#stablehlo.dot<lhs_contracting_dimensions = [1, 2]>");
  EXPECT_EQ(to_string(Attribute{List{{integer(1), Attribute{std::string("b")}}}}), "[1 : i64, \"b\"]");
}

TEST(attribute_text, escapes_what_a_string_cannot_hold) {
  EXPECT_EQ(to_string(Attribute{std::string("a\"b\\c\n")}), "\"a\\22b\\5Cc\\0A\"");
}

TEST(attribute_text, quotes_symbols_that_are_no_identifiers) {
  EXPECT_EQ(symbol("main.1-x$"), "@main.1-x$");
  EXPECT_EQ(symbol("<lambda>"), "@\"<lambda>\"");
  EXPECT_EQ(symbol("3d"), "@\"3d\"");
}

TEST(dense_text, nests_lists_by_the_shape) {
  EXPECT_EQ(to_string(dense_i64({2, 2}, {1, 2, 3, -4})), "dense<[[1, 2], [3, -4]]> : tensor<2x2xi64>");
}

TEST(dense_text, writes_equal_elements_as_a_splat) {
  EXPECT_EQ(to_string(dense_i64({2, 3}, {7, 7, 7, 7, 7, 7})), "dense<7> : tensor<2x3xi64>");
  EXPECT_EQ(to_string(dense_i64({3}, {7, 7, 8})), "dense<[7, 7, 8]> : tensor<3xi64>");
}

TEST(dense_text, writes_no_elements_as_nothing) {
  EXPECT_EQ(to_string(dense_i64({0, 2}, {})), "dense<> : tensor<0x2xi64>");
}

TEST(dense_text, gives_floats_a_point_and_all_their_bits) {
  std::vector<float> values{1, -0.0F, 0.1F, 1e-5F, 3e20F, std::numeric_limits<float>::denorm_min()};
  EXPECT_EQ(to_string(dense_of("f32", {6}, values)),
            "dense<[1.0, -0.0, 0.1, 1.0e-05, 3.0e+20, 1.0e-45]> : tensor<6xf32>");
  EXPECT_EQ(to_string(dense_of("f64", {}, std::vector<double>{0.1})), "dense<0.1> : tensor<f64>");
}

TEST(dense_text, writes_nan_and_infinities_as_bits) {
  std::vector<float> values{INFINITY, -INFINITY, NAN};
  EXPECT_EQ(to_string(dense_of("f32", {3}, values)),
            "dense<[0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<3xf32>");
}

TEST(dense_text, reads_signs_from_the_element_type) {
  std::vector<std::uint8_t> values{1, 255};
  EXPECT_EQ(to_string(dense_of("i8", {2}, values)), "dense<[1, -1]> : tensor<2xi8>");
  EXPECT_EQ(to_string(dense_of("ui8", {2}, values)), "dense<[1, 255]> : tensor<2xui8>");
  EXPECT_EQ(to_string(dense_of("i1", {2}, std::vector<std::uint8_t>{0, 1})),
            "dense<[false, true]> : tensor<2xi1>");
}

TEST(dense_text, writes_narrow_floats_as_bits_and_complex_as_pairs) {
  EXPECT_EQ(to_string(dense_of("bf16", {2}, std::vector<std::uint16_t>{0x3F80, 0x4000})),
            "dense<[0x3F80, 0x4000]> : tensor<2xbf16>");
  EXPECT_EQ(to_string(dense_of("complex<f32>", {2}, std::vector<float>{1, 2, 3, 4})),
            "dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>");
}

TEST(dense_text, writes_many_elements_as_bytes) {
  std::vector<std::int32_t> values(101);
  values[0] = 258;
  std::string text = to_string(dense_of("i32", {101}, values));
  EXPECT_TRUE(text.starts_with("dense<\"0x0201000000000000")) << text;
  EXPECT_TRUE(text.ends_with("00\"> : tensor<101xi32>")) << text;
}

TEST(dense_text, refuses_data_of_another_size) {
  Attribute broken{Dense{{{3}, "f32"}, std::vector<std::byte>(8)}};
  EXPECT_THROW(to_string(broken), Error);
}

ValueType tensor(std::vector<std::int64_t> shape, const char* element) {
  return TensorType{std::move(shape), element};
}

Operation unary(const char* name, int operand, int result) {
  return {name, {{operand}}, {{result}}, {tensor({2}, "f32")}, {tensor({2}, "f32")}, {}, {}, {}};
}

Module module_of(std::vector<Operation> operations) {
  Function main;
  main.body = {{{10}}, {tensor({2}, "f32")}, std::move(operations)};
  main.result_types = {tensor({2}, "f32")};
  Module module;
  module.functions.push_back(std::move(main));
  return module;
}

Operation returned(int value) { return {"func.return", {{value}}, {}, {tensor({2}, "f32")}, {}, {}, {}, {}}; }

TEST(write, numbers_values_in_the_order_of_the_text) {
  EXPECT_EQ(write(module_of({unary("stablehlo.tanh", 10, 7), unary("stablehlo.abs", 7, 3), returned(3)})),
            R"(module {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "stablehlo.abs"(%0) : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%1) : (tensor<2xf32>) -> ()
  }
}
)");
}

TEST(write, keeps_foreign_attributes_apart_from_the_ops_own) {
  Operation op = unary("stablehlo.transpose", 10, 1);
  op.attributes = {{"permutation", integers({0})}, {"mhlo.note", Attribute{Unit{}}}};
  std::string text = write(module_of({op, returned(1)}));
  EXPECT_NE(text.find("(%arg0) <{permutation = array<i64: 0>}> {mhlo.note} : ("), text.npos) << text;
}

TEST(write, names_the_results_of_an_operation_with_several) {
  Operation pair = unary("stablehlo.optimization_barrier", 10, 1);
  pair.operands.push_back({10});
  pair.results.push_back({2});
  pair.operand_types.push_back(tensor({2}, "f32"));
  pair.result_types.push_back(tensor({2}, "f32"));
  std::string text = write(module_of({pair, returned(2)}));
  EXPECT_NE(text.find("%0:2 = \"stablehlo.optimization_barrier\"(%arg0, %arg0)"), text.npos) << text;
  EXPECT_NE(text.find("\"func.return\"(%0#1)"), text.npos) << text;
}

TEST(write, gives_each_region_its_block) {
  Operation branch{"stablehlo.case", {}, {{1}}, {}, {tensor({2}, "f32")}, {}, {}, {}};
  Operation leave = returned(10);
  leave.name = "stablehlo.return";
  branch.regions = {{{}, {}, {leave}}, {{{20}}, {tensor({}, "i32")}, {leave}}};
  EXPECT_EQ(write(module_of({branch, returned(1)})), R"(module {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.case"() ({
      "stablehlo.return"(%arg0) : (tensor<2xf32>) -> ()
    }, {
    ^bb0(%arg1: tensor<i32>):
      "stablehlo.return"(%arg0) : (tensor<2xf32>) -> ()
    }) : () -> tensor<2xf32>
    "func.return"(%0) : (tensor<2xf32>) -> ()
  }
}
)");
}

TEST(write, writes_places_when_asked) {
  Operation op = unary("stablehlo.abs", 10, 1);
  op.location = location_of({{"a.cpp", 3, 5}, {"b.cpp", 7, 0}});
  Module module = module_of({op, returned(1)});
  EXPECT_EQ(write(module).find("loc("), std::string::npos);
  std::string text = write(module, {.locations = true});
  EXPECT_NE(text.find("loc(callsite(\"a.cpp\":3:5 at \"b.cpp\":7:0))\n"), text.npos) << text;
}

TEST(write, refuses_a_value_that_is_used_before_it_is_defined) {
  EXPECT_THROW(write(module_of({unary("stablehlo.abs", 1, 1), returned(1)})), Error);
}

TEST(tree, is_equal_wherever_it_stands) {
  Operation here = unary("stablehlo.abs", 10, 1), there = here, other = unary("stablehlo.tanh", 10, 1);
  there.location = location_of({{"a.cpp", 3, 5}});
  EXPECT_EQ(here, there);
  EXPECT_NE(here, other);
  EXPECT_EQ(module_of({here}), module_of({there}));
}

}  // namespace
}  // namespace tutti::stablehlo
