// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/parse/parse.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/file_text.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti::stablehlo {
namespace {

/// A function with these lines as its body.
std::string function(const std::string& body,
                     const std::string& parameters = "%x: tensor<2x3xf32>, %i: tensor<i32>") {
  return "func.func @main(" + parameters + ") {\n" + body + "\n  return\n}\n";
}

Module parsed(const std::string& text) {
  Parsed found = parse(text, "text");
  for (const Error& error : found.errors) ADD_FAILURE() << error.what();
  return std::move(found.module);
}

std::vector<std::string> errors_of(const std::string& text) {
  std::vector<std::string> all;
  for (const Error& error : parse(text, "step.mlir").errors)
    all.push_back(fmt::format("{}:{} {}", error.where().line, error.where().column, error.message()));
  return all;
}
using Lines = std::vector<std::string>;

/// A line in pretty form, and the same line in generic form.
struct Spelling {
  std::string pretty, generic;
};
const std::vector<Spelling>& spellings() {
  static const std::vector<Spelling> all{
      {"stablehlo.add %x, %x : tensor<2x3xf32>",
       "\"stablehlo.add\"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xf64>",
       "\"stablehlo.convert\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf64>"},
      {"stablehlo.iota dim = 1 : tensor<2x3xi32>",
       "\"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>"},
      {"stablehlo.compare  LT, %x, %x,  FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
       "\"stablehlo.compare\"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>, "
       "compare_type = "
       "#stablehlo<comparison_type FLOAT>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>"},
      {"stablehlo.slice %x [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>",
       "\"stablehlo.slice\"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 3>, "
       "strides = "
       "array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>"},
      {"stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
       "\"stablehlo.dot_general\"(%x, %x) <{dot_dimension_numbers = "
       "#stablehlo.dot<lhs_contracting_dimensions = [1], "
       "rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, "
       "#stablehlo<precision "
       "HIGHEST>]}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>"},
      {"stablehlo.pad %x, %x, low = [0, -1], high = [1, 0], interior = [0, 2] : (tensor<2x3xf32>, "
       "tensor<2x3xf32>) -> "
       "tensor<3x6xf32>",
       "\"stablehlo.pad\"(%x, %x) <{edge_padding_low = array<i64: 0, -1>, edge_padding_high = array<i64: 1, "
       "0>, "
       "interior_padding = array<i64: 0, 2>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x6xf32>"},
      {"stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>",
       "\"stablehlo.concatenate\"(%x, %x) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
       "tensor<4x3xf32>"},
      {"stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 3] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> "
       "tensor<1x3xf32>",
       "\"stablehlo.dynamic_slice\"(%x, %i, %i) <{slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, "
       "tensor<i32>, "
       "tensor<i32>) -> tensor<1x3xf32>"},
      {"stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<4xi32>",
       "\"stablehlo.broadcast_in_dim\"(%i) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> "
       "tensor<4xi32>"},
      {"stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "\"stablehlo.transpose\"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> "
       "tensor<3x2xf32>"},
      {"stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf32>, "
       "tensor<i32>) -> tensor<3xf32>",
       "\"stablehlo.reduce\"(%x, %i) <{dimensions = array<i64: 0>}> ({\n^bb0(%a: tensor<f32>, %b: "
       "tensor<f32>):\n%m = "
       "\"stablehlo.maximum\"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n\"stablehlo.return\"(%m) "
       ": "
       "(tensor<f32>) -> ()\n}) : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>"},
      {"stablehlo.while(%a = %i) : tensor<i32>\ncond {\n%c = stablehlo.compare LT, %a, %a : (tensor<i32>, "
       "tensor<i32>) -> "
       "tensor<i1>\nstablehlo.return %c : tensor<i1>\n} do {\nstablehlo.return %a : tensor<i32>\n}",
       "\"stablehlo.while\"(%i) ({\n^bb0(%a: tensor<i32>):\n%c = \"stablehlo.compare\"(%a, %a) "
       "<{comparison_direction = "
       "#stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> "
       "tensor<i1>\n\"stablehlo.return\"(%c) : "
       "(tensor<i1>) -> ()\n}, {\n^bb0(%a: tensor<i32>):\n\"stablehlo.return\"(%a) : (tensor<i32>) -> ()\n}) "
       ": "
       "(tensor<i32>) -> tensor<i32>"},
      {"stablehlo.custom_call @f(%x) {api_version = 4 : i32} : (tensor<2x3xf32>) -> tensor<i32>",
       "\"stablehlo.custom_call\"(%x) {call_target_name = \"f\", api_version = 4 : i32} : (tensor<2x3xf32>) "
       "-> "
       "tensor<i32>"},
      {"chlo.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>",
       "\"chlo.erf\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"sdy.sharding_constraint %x <@m, [{\"x\", ?}p1, {\"y\":(1)2}], unreduced={\"z\"}> : tensor<2x3xf32>",
       "\"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@m, [{\"x\", ?}p1, {\"y\":(1)2}], "
       "unreduced={\"z\"}>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"stablehlo.fft %x, type = FFT, length = [3] : tensor<2x3xf32>",
       "\"stablehlo.fft\"(%x) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3>}> : "
       "(tensor<2x3xf32>) -> "
       "tensor<2x3xf32>"},
      {"stablehlo.reduce_precision %x, format = e5m10 : tensor<2x3xf32>",
       "\"stablehlo.reduce_precision\"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : "
       "(tensor<2x3xf32>) -> "
       "tensor<2x3xf32>"},
      {"stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [], pad = [[0, "
       "1]], reverse = "
       "[true]} {batch_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
       "\"stablehlo.convolution\"(%x, %x) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, "
       "window_strides = "
       "array<i64>, padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_reversal = array<i1: true>, "
       "batch_group_count = 1 "
       ": i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"stablehlo.broadcast %i, sizes = [4] : (tensor<i32>) -> tensor<4xi32>",
       "\"stablehlo.broadcast\"(%i) <{broadcast_sizes = array<i64: 4>}> : (tensor<i32>) -> tensor<4xi32>"},
      {"stablehlo.partition_id : tensor<ui32>", "\"stablehlo.partition_id\"() : () -> tensor<ui32>"},
  };
  return all;
}

TEST(parse, reads_pretty_and_generic_forms_as_one) {
  for (const Spelling& spelling : spellings())
    EXPECT_EQ(write(parsed(function("%r = " + spelling.pretty))),
              write(parsed(function("%r = " + spelling.generic))))
        << spelling.pretty;
}

TEST(parse, reads_what_the_writer_writes) {
  for (const Spelling& spelling : spellings()) {
    const Module module = parsed(function("%r = " + spelling.pretty));
    for (const TextForm form : {TextForm::generic, TextForm::pretty})
      EXPECT_TRUE(parsed(write(module, {form})) == module) << write(module, {form});
  }
}

/// MLIR prints one type where the operands have another, and two where one would do.
TEST(write, gives_the_types_that_mlir_gives) {
  const std::string parameters =
      "%c: tensor<2xcomplex<f32>>, %f: tensor<2xf32>, %b: tensor<i1>, %s: tensor<f32>";
  for (const std::string line :
       {"stablehlo.complex %f, %f : tensor<2xcomplex<f32>>",
        "stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
        "stablehlo.is_finite %f : (tensor<2xf32>) -> tensor<2xi1>",
        "stablehlo.select %b, %f, %f : tensor<i1>, tensor<2xf32>",
        "stablehlo.clamp %s, %f, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
        "stablehlo.convert %s : tensor<f32>", "stablehlo.reshape %s : (tensor<f32>) -> tensor<f32>",
        "stablehlo.bitcast_convert %f : (tensor<2xf32>) -> tensor<2xf32>",
        "stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>",
        "stablehlo.reverse %f, dims = [0] : tensor<2xf32>",
        "chlo.next_after %f, %f : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>",
        "\"chlo.broadcast_add\"(%f, %s) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
        "\"chlo.constant_like\"(%s) <{value = 1.0 : f32}> : (tensor<f32>) -> tensor<f32>"}) {
    std::string numbered = line;
    for (const auto& [name, number] : {std::pair("%c", "0"), {"%f", "1"}, {"%b", "2"}, {"%s", "3"}})
      for (std::size_t at = 0; (at = numbered.find(name)) != std::string::npos;)
        numbered.replace(at, 2, std::string("%arg") + number);
    const std::string written = write(parsed(function("%r = " + line, parameters)), {TextForm::pretty});
    EXPECT_NE(written.find("%0 = " + numbered + "\n"), std::string::npos) << written;
  }
}

TEST(parse, refuses_a_pretty_complex_of_real_numbers) {
  EXPECT_EQ(errors_of(function("  %r = stablehlo.complex %x, %x : tensor<2x3xf32>")),
            Lines{"2:35 the result of stablehlo.complex is complex, as in tensor<8xcomplex<f32>>"});
}

/// MLIR prints it so, and does not read it.
TEST(parse, reads_the_second_comma_of_a_slice_without_indices) {
  EXPECT_EQ(errors_of(
                function("%r = stablehlo.dynamic_slice %i, , sizes = [] : (tensor<i32>) -> tensor<i32>")),
            Lines{});
}

TEST(parse, takes_attributes_of_earlier_versions) {
  const Module old =
      parsed(function("%r = \"stablehlo.slice\"(%x) {start_indices = dense<[0, 1]> : tensor<2xi64>} : "
                      "(tensor<2x3xf32>) -> tensor<2x2xf32>"));
  const Attribute* starts = find(old.functions[0].body.operations[0].attributes, "start_indices");
  ASSERT_NE(starts, nullptr);
  EXPECT_TRUE(*starts == dense_i64({2}, {0, 1}));
}

TEST(parse, keeps_attributes_that_it_does_not_know) {
  const std::string known =
      "%r = \"stablehlo.abs\"(%x) {a.b = #odd.thing<[1, {x = <2>}]>, c.d = affine_map<(d0) -> (d0)>} "
      ": (tensor<2x3xf32>) -> tensor<2x3xf32>";
  const std::string written = write(parsed(function(known)));
  EXPECT_NE(written.find("a.b = #odd.thing<[1, {x = <2>}]>"), std::string::npos) << written;
  EXPECT_NE(written.find("c.d = affine_map<(d0) -> (d0)>"), std::string::npos) << written;
}

/// Numbers of 64 bits without sign, bits of floats, and numbers that no double holds.
TEST(parse, keeps_numbers_that_it_cannot_hold) {
  for (const std::string number :
       {"array<f32: 1.0, 0x7FC00000>", "array<bf16>", "18446744073709551615 : ui64",
        "0xFFFFFFFFFFFFFFFF : i64", "9223372036854775808", "0x7FC00000 : f32", "0xFFF0000000000000 : f64",
        "0x7FC0 : bf16", "-1.0e400 : f64", "1.0e-400 : f64", "[1.0e400 : f64, 0x7F800000 : f32]"}) {
    const std::string written =
        write(parsed(function("%r = stablehlo.abs %x {a.b = " + number + "} : tensor<2x3xf32>")));
    EXPECT_NE(written.find("{a.b = " + number + "} :"), std::string::npos) << written;
  }
  EXPECT_EQ(errors_of(function("stablehlo.abs %x {a.b = 18446744073709551615 : i32} : tensor<2x3xf32>")),
            Lines{"2:25 '18446744073709551615' is no integer of 64 bits; expected an integer"});
}

TEST(parse, resolves_aliases_before_and_behind_their_use) {
  const std::string text =
      "#sharding = #sdy.sharding<@mesh, [{\"x\"}]>\nmodule @m {\nsdy.mesh @mesh = <[\"x\"=2]>\n"
      "func.func @main(%x: tensor<4xf32> {sdy.sharding = #sharding} loc(\"w\"(#loc1))) -> tensor<4xf32> {\n"
      "return %x : tensor<4xf32> loc(#loc2)\n}\n}\n#loc1 = loc(\"a.py\":1:2 to :9)\n"
      "#loc2 = loc(callsite(#loc1 at \"b.py\":3:4))\n";
  const Module module = parsed(text);
  const Function& main = module.functions.at(0);
  const Attribute* sharding = find(main.argument_attributes.at(0), "sdy.sharding");
  ASSERT_TRUE(sharding && std::holds_alternative<ValueSharding>(sharding->value));
  EXPECT_EQ(to_string(main.argument_locations.list.at(0)), "\"w\"(\"a.py\":1:2 to :9)");
  const std::vector<Where> places = places_of(main.body.operations.at(0).location);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(to_string(places[0]), "a.py:1:2");
  EXPECT_EQ(to_string(places[1]), "b.py:3:4");
}

TEST(parse, reads_an_alias_of_an_alias_once_for_all_uses) {
  const std::string text =
      "!t = tensor<2xf32>\n!f = (!t) -> !t\n#a = [1, #b]\n#b = {x = !t}\n" +
      function("%r = \"stablehlo.abs\"(%x) {a.b = #a, c.d = #a, e.f = !f} : (!t) -> !t", "%x: !t");
  EXPECT_NE(write(parsed(text))
                .find("{a.b = [1 : i64, {x = tensor<2xf32>}], c.d = [1 : i64, {x = "
                      "tensor<2xf32>}], e.f = (tensor<2xf32>) -> tensor<2xf32>} "
                      ": (tensor<2xf32>) -> tensor<2xf32>\n"),
            std::string::npos)
      << write(parsed(text));
  EXPECT_EQ(
      errors_of("#a = [\n#a = 3\n" + function("stablehlo.abs %x {b.c = #a} : tensor<2x3xf32>\n")).size(), 1U);
}

TEST(parse, refuses_an_alias_that_is_defined_by_itself) {
  EXPECT_EQ(errors_of("!a = !a\n" + function("", "%x: !a")), Lines{"1:6 !a is defined by itself"});
  EXPECT_EQ(errors_of("#l = loc(fused[#l])\n" + function("")), Lines{"1:16 #l is defined by itself"});
  // An error in a definition is the same at each use.
  EXPECT_EQ(errors_of(function("  stablehlo.abs %x {b.c = #a} : tensor<2x3xf32>\n"
                               "  stablehlo.abs %x {b.c = #a} : tensor<2x3xf32>") +
                      "#a = [0 1]\n"),
            Lines(3, "6:9 found '1', expected ']'"));
}

/// Each of a few lines uses the next one twice.
TEST(parse, bounds_what_aliases_stand_for) {
  const auto lines = [](const std::string& definition, const std::string& last) {
    std::string all;
    for (int i = 0; i < 40; ++i) {
      const std::string number = std::to_string(i + 1);
      std::string line = definition;
      for (std::size_t at = 0; (at = line.find('N')) != std::string::npos;) line.replace(at, 1, number);
      all += line.substr(0, 2) + std::to_string(i) + line.substr(2) + "\n";
    }
    return all + definition.substr(0, 2) + "40 = " + last + "\n";
  };
  const auto error = [&](const std::string& text) {
    const Lines all = errors_of(text);
    return all.empty() ? "accepted" : all[0];
  };
  EXPECT_EQ(error(lines("#a = [#aN, #aN]", "1") + function("")),
            "21:15 #a21 is too long: the aliases of a text stand for at most 8192 KiB");
  EXPECT_EQ(error(lines("!a = (!aN, !aN) -> !aN", "f32") + function("")),
            "28:15 !a28 is too long: the aliases of a text stand for at most 8192 KiB");
  EXPECT_EQ(error(lines("#a = loc(fused[#aN, #aN])", "loc(\"f\":1:2)") + function("")),
            "29:24 #a29 is too long: the aliases of a location stand for at most 128 KiB");
}

std::vector<std::byte> bytes_of(const std::string& constant) {
  const Module module = parsed(function("%r = stablehlo.constant " + constant));
  return std::get<Dense>(find(module.functions[0].body.operations[0].attributes, "value")->value).data;
}
template <class T>
std::vector<std::byte> raw(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(parse, reads_constants_in_every_form) {
  EXPECT_EQ(bytes_of("dense<1.5> : tensor<2x2xf32>"), raw<float>({1.5F}));
  EXPECT_EQ(bytes_of("dense<[[1.0, -2.0], [3.0, 4.0]]> : tensor<2x2xf32>"), raw<float>({1, -2, 3, 4}));
  EXPECT_EQ(bytes_of("dense<[0x7F800000, 1.0]> : tensor<2xf32>"), raw<float>({HUGE_VALF, 1}));
  EXPECT_EQ(bytes_of("dense<\"0x0000803F00000040\"> : tensor<2xf32>"), raw<float>({1, 2}));
  EXPECT_EQ(bytes_of("dense<\"0x0000803F\"> : tensor<2xf32>"), raw<float>({1}));
  EXPECT_EQ(bytes_of("dense<[true, false, true]> : tensor<3xi1>"), raw<std::uint8_t>({1, 0, 1}));
  EXPECT_EQ(bytes_of("dense<\"0x05\"> : tensor<3xi1>"), raw<std::uint8_t>({1, 0, 1}));
  EXPECT_EQ(bytes_of("dense<\"0x010001\"> : tensor<3xi1>"), raw<std::uint8_t>({1, 0, 1}));
  EXPECT_EQ(bytes_of("dense<[-128, 127]> : tensor<2xi8>"), raw<std::int8_t>({-128, 127}));
  EXPECT_EQ(bytes_of("dense<[(1.0,2.0), (3.0,4.0)]> : tensor<2xcomplex<f32>>"), raw<float>({1, 2, 3, 4}));
  EXPECT_EQ(bytes_of("dense<[1.0, 65504.0, 6.0e-08]> : tensor<3xf16>"),
            raw<std::uint16_t>({0x3c00, 0x7bff, 1}));
  EXPECT_EQ(bytes_of("dense<[1.0, 1.00390625, 1.01171875]> : tensor<3xbf16>"),
            raw<std::uint16_t>({0x3f80, 0x3f80, 0x3f82}));  // of two, the even one
  EXPECT_EQ(bytes_of("dense<[0.0, -0.0]> : tensor<2xbf16>"), raw<std::uint16_t>({0, 0x8000}));
  EXPECT_EQ(bytes_of("dense<[0.000000e+00, -0.0, 1.0e-400]> : tensor<3xf16>"),
            raw<std::uint16_t>({0, 0x8000, 0}));
  EXPECT_EQ(bytes_of("dense<[1.0e400, -1.0e+400, 1.0e-400]> : tensor<3xf32>"),
            raw<float>({HUGE_VALF, -HUGE_VALF, 0}));
  EXPECT_TRUE(bytes_of("dense<> : tensor<0x3xf32>").empty());
  EXPECT_TRUE(bytes_of("dense<[]> : tensor<0xi64>").empty());
}

// Each number of 16 bits, in as many digits as tell it apart.
TEST(parse, reads_every_half) {
  for (const bool is_bf16 : {false, true}) {
    const int stored = is_bf16 ? 7 : 10, bias = is_bf16 ? 127 : 15, most = is_bf16 ? 0x7f80 : 0x7c00;
    std::string numbers;
    std::vector<std::uint16_t> bits;
    for (int size = 0; size < most; ++size)
      for (const int sign : {0, 0x8000}) {
        const int exponent = size >> stored, whole = size & ((1 << stored) - 1);
        const double value = exponent == 0 ? std::ldexp(whole, 1 - bias - stored)
                                           : std::ldexp(whole + (1 << stored), exponent - bias - stored);
        bits.push_back(static_cast<std::uint16_t>(size | sign));
        numbers += fmt::format("{}{:.17e}", numbers.empty() ? "" : ", ", sign != 0 ? -value : value);
      }
    EXPECT_EQ(bytes_of(
                  fmt::format("dense<[{}]> : tensor<{}x{}>", numbers, bits.size(), is_bf16 ? "bf16" : "f16")),
              raw(bits));
  }
}

TEST(parse, says_what_is_wrong_with_constants) {
  const auto error = [](const std::string& constant) {
    const Lines all = errors_of(function("  %r = stablehlo.constant " + constant));
    return all.empty() ? "accepted" : all[0];
  };
  EXPECT_EQ(error("dense<1> : tensor<2xf32>"),
            "2:33 '1' is no number of: write a decimal point, as in 1.0, for f32");
  EXPECT_EQ(error("dense<1.0> : tensor<2xi32>"), "2:33 '1.0' has a decimal point, but the elements are i32");
  EXPECT_EQ(error("dense<> : tensor<2xf32>"), "2:33 a constant without elements, but tensor<2xf32> has 2");
  EXPECT_EQ(error("dense<300> : tensor<2xi8>"), "2:33 '300' is out of range of i8");
  EXPECT_EQ(error("dense<-1> : tensor<2xui8>"), "2:33 '-1' is out of range of ui8");
  EXPECT_EQ(error("dense<[1, 2]> : tensor<3xi8>"), "2:33 a list of 2, where tensor<3xi8> has 3 along dim 0");
  EXPECT_EQ(error("dense<\"0x0102\"> : tensor<3xi8>"),
            "2:33 2 bytes for tensor<3xi8>, which has 3 elements of 1 B");
  EXPECT_EQ(error("dense<\"0x012\"> : tensor<2xi8>"),
            "2:33 half a byte: an odd number of hexadecimal digits");
  EXPECT_EQ(error("dense<\"0x01zz\"> : tensor<2xi8>"), "2:38 'z' is no hexadecimal digit");
}

TEST(parse, finds_every_error_of_a_text) {
  const std::string text =
      function("  %0 = stablehlo.add %x, %y : tensor<2x3xf32>\n"
               "  %1 = stablehlo.ad %0, %0 : tensor<2x3xf32>\n"
               "  %2 = stablehlo.tanh %1 : tensor<2x4xf32>\n"
               "  %3 = stablehlo.tanh %x : tensor<2x4xf32>\n"
               "  %x = stablehlo.tanh %3 : tensor<2x4xf32>\n"
               "  %4:2 = stablehlo.tanh %3 : tensor<2x4xf32>\n"
               "  %5 = \"stablehlo.abs\"(%x) {a = 1, a = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  EXPECT_EQ(errors_of(text),
            (Lines{"2:26 %y is not defined here",
                   "3:8 StableHLO has no operation 'stablehlo.ad'; is it stablehlo.add?",
                   "5:23 %x is tensor<2x3xf32>, but stablehlo.tanh takes it as tensor<2x4xf32>",
                   "6:3 %x has a value already; give each value a name of its own",
                   "7:3 stablehlo.tanh has 1 result, but 2 names", "8:36 'a' is given twice"}));
}

TEST(parse, reads_on_where_a_brace_is_missing) {
  EXPECT_EQ(errors_of(
                "func.func @main(%x: tensor<f32>) -> tensor<f32>\n  %0 = stablehlo.abs %x : tensor<f32>\n"
                "  %1 = stablehlo.abs %y : tensor<f32>\n  return %0 : tensor<f32>\n}\n"),
            (Lines{"2:3 found '%0', expected '{'", "3:22 %y is not defined here"}));
  EXPECT_EQ(errors_of(function("  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32>\n  cond\n"
                               "    %c = stablehlo.constant dense<true> : tensor<i1>\n"
                               "    stablehlo.return %c : tensor<i1>\n  } do {\n"
                               "    stablehlo.return %a : tensor<2x3xf32>\n  }")),
            Lines{"4:5 found '%c', expected '{'"});
  EXPECT_EQ(errors_of("func.func private @f(tensor<f32>) -> tensor<f32>\nfunc.func @main() {\n  return\n}\n"),
            Lines{});
}

TEST(parse, says_what_a_text_begins_with) {
  EXPECT_EQ(errors_of("hello world\nand more\n"),
            Lines{"1:1 found 'hello', expected 'module' or 'func.func'"});
  EXPECT_EQ(errors_of("<html>\n<body>"), Lines{"1:1 found '<', expected 'module' or 'func.func'"});
  EXPECT_EQ(errors_of(""), Lines{});
}

TEST(parse, skips_a_byte_order_mark) {
  EXPECT_EQ(errors_of("\xEF\xBB\xBF#a = 1\nfunc.func @main() attributes {b.c = #a} { return }"), Lines{});
  const Parsed found = parse("\xEF\xBB\xBFmore", "step.mlir");
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].where().column, 1);
  EXPECT_EQ(found.errors[0].notes(), (Lines{"more", "^"}));
}

TEST(parse, points_at_the_token_behind_tabs_and_letters_of_other_scripts) {
  const Parsed found =
      parse(function("\t%r = \"stablehlo.abs\"(%x) {n = \"é→\", n = 1} : (tensor<2x3xf32>) -> "
                     "tensor<2x3xf32>"),
            "step.mlir");
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].where().column, 38);
  EXPECT_EQ(found.errors[0].notes().at(1), std::string(37, ' ') + "^");
}

TEST(parse, refuses_names_and_rows_that_do_not_fit) {
  EXPECT_EQ(errors_of("func.func @main( {\n}").size(), 1U);
  EXPECT_EQ(errors_of("module {\n  func.func @main() { return }\n}\nmore"),
            Lines{"4:1 found 'more', expected the end of the text"});
  EXPECT_EQ(
      errors_of(
          "#a = #a\nfunc.func @main() { %0 = \"stablehlo.abs\"() {x = #a} : () -> tensor<f32> return }")[0],
      "1:6 #a is defined by itself");
  EXPECT_EQ(errors_of(function("  %r = stablehlo.abs %x : tensor<99999999999x99999999999xf32>"))[0],
            "2:33 a tensor of more elements than 64 bits count");
}

/// Every prefix of a text ends in an error with a place, or in none if it is whole.
TEST(parse, ends_wherever_the_text_ends) {
  const std::string text =
      write(parsed(function("%r = " + spellings()[12].pretty + "\n%s = " + spellings()[5].pretty)));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Parsed found = parse(std::string_view(text).substr(0, length), "cut");
    for (const Error& error : found.errors) EXPECT_TRUE(error.where().known()) << length;
    EXPECT_LE(found.errors.size(), 20U) << length;
  }
}

TEST(parse, bounds_how_deep_a_text_nests) {
  for (const std::string open : {"[", "{a = ", "#a.b<", "tensor<"}) {
    std::string deep = "func.func @main() { %0 = \"stablehlo.abs\"() {x = ";
    for (int i = 0; i < 100'000; ++i) deep += open;
    EXPECT_FALSE(parse(deep, "deep").errors.empty()) << open;
  }
  std::string regions = "func.func @main() {";
  for (int i = 0; i < 100'000; ++i) regions += "\"stablehlo.case\"() ({\n";
  const Parsed found = parse(regions, "deep");
  ASSERT_FALSE(found.errors.empty());
  EXPECT_EQ(found.errors[0].message(), "more than 200 regions, lists or types one in the other");
}

}  // namespace
}  // namespace tutti::stablehlo
