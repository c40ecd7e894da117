// SPDX-License-Identifier: Apache-2.0
// Where a text of JAX means something else than it seems to say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/read/harness.hpp"
#include "tests/support/print.hpp"

namespace tutti {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

const MapText row_by_x{.in = "<@mesh, [{\"x\"}]>",
                       .out = "<@mesh, [{\"x\"}]>",
                       .whole = "tensor<8xf32>",
                       .part = "tensor<2xf32>",
                       .result = "tensor<2xf32>",
                       .whole_result = "tensor<8xf32>"};
const Tensor eight(Shape{8}, Floats{0, 1, 2, 3, 4, 5, 6, 7});

std::string all_reduce(const std::string& groups, const std::string& type = "tensor<2xf32>") {
  return "%s = \"stablehlo.all_reduce\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = "
         "1>, "
         "replica_groups = " +
         groups +
         ", use_global_device_ids}> ({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
         "%t = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %t : tensor<f32>\n}) : (" +
         type + ") -> " + type;
}

TEST(trap, the_number_of_a_device_is_the_position_along_an_axis) {
  const std::string text =
      map_of(row_by_x,
             "%two = stablehlo.constant dense<2> : tensor<ui32>\n%four = stablehlo.constant dense<4> : "
             "tensor<ui32>\n"
             "%id = stablehlo.partition_id : tensor<ui32>\n%d = stablehlo.divide %id, %two : tensor<ui32>\n"
             "%m = stablehlo.remainder %d, %four : tensor<ui32>\n%f = stablehlo.convert %m : (tensor<ui32>) "
             "-> tensor<f32>\n"
             "%b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
             "%s = stablehlo.add %a, %b : tensor<2xf32>\nsdy.return %s : tensor<2xf32>");
  EXPECT_EQ(run_text(text, {eight})[0], Tensor(Shape{8}, Floats{0, 1, 3, 4, 6, 7, 9, 10}));
  EXPECT_EQ(program_text(text).find("assume_invariant"), std::string::npos);
}

TEST(trap, groups_are_axes_in_any_order_of_rows) {
  const auto program = [](const std::string& groups) {
    return program_text(map_of(row_by_x, all_reduce(groups) + "\nsdy.return %s : tensor<2xf32>"));
  };
  const std::string by_x = program("dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>");
  EXPECT_NE(by_x.find("all_reduce{kind=sum, axes='x'}"), std::string::npos) << by_x;
  EXPECT_EQ(program("dense<[[1, 3, 5, 7], [0, 2, 4, 6]]> : tensor<2x4xi64>"), by_x);
  EXPECT_NE(program("dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>").find("axes='y'"),
            std::string::npos);
  EXPECT_NE(
      program("#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"y\">]>")
          .find("axes='y'"),
      std::string::npos);
}

/// x=4 is two factors of 2: (1)2 the slower one, (2)2 the faster one.
TEST(trap, groups_lie_along_parts_of_axes) {
  const auto program = [](const std::string& axes) {
    const std::string groups = "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [" + axes + "]>";
    return program_text(map_of(row_by_x, all_reduce(groups) + "\nsdy.return %s : tensor<2xf32>"));
  };
  const auto part = [](const std::string& factor) {
    return "#stablehlo.axis_ref<name = \"x\", sub_axis_info = " + factor + ">";
  };
  const auto expect = [](const std::string& text, const std::string& groups) {
    EXPECT_NE(text.find("groups=" + groups), std::string::npos) << text;
  };
  expect(program(part("(1)2")), "[[0, 2], [1, 3]]");
  expect(program(part("(2)2")), "[[0, 1], [2, 3]]");
  expect(program(part("(2)2") + ", " + part("(1)2")), "[[0, 2, 1, 3]]");
  EXPECT_NE(program(part("(1)2") + ", " + part("(2)2")).find("axes='x'}"), std::string::npos);
}

TEST(trap, devices_do_the_same_along_axes_that_are_not_manual) {
  const auto partly = [](const std::string& lines) {
    std::string text = map_of(row_by_x, lines + "\nsdy.return %s : tensor<2xf32>");
    return text.replace(text.find("manual_axes={\"x\", \"y\"}"), 22, "manual_axes={\"x\"}");
  };
  const std::string same = "dense<[[0, 2], [4, 6], [1, 3], [5, 7]]> : tensor<4x2xi64>",
                    other = "dense<[[0, 2], [4, 6], [1, 7], [3, 5]]> : tensor<4x2xi64>";
  EXPECT_NE(program_text(partly(all_reduce(same))).find("groups=[[0, 1], [2, 3]]"), std::string::npos);
  EXPECT_TRUE(refusal_of_text(partly(all_reduce(other))).starts_with("T009"));
  const auto permute = [](const std::string& pairs) {
    return "%s = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<" + pairs +
           "> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>";
  };
  EXPECT_EQ(refusal_of_text(partly(permute("[[0, 2], [1, 3]]"))), "accepted");
  EXPECT_TRUE(refusal_of_text(partly(permute("[[0, 2], [1, 5]]"))).starts_with("T009"));
}

TEST(trap, the_order_of_a_row_is_the_order_of_the_axes) {
  const MapText gathered{.in = "<@mesh, [{\"y\", \"x\"}]>",
                         .out = "<@mesh, [{}]>",
                         .whole = "tensor<8xf32>",
                         .part = "tensor<1xf32>",
                         .result = "tensor<8xf32>",
                         .whole_result = "tensor<8xf32>"};
  const std::string gather = "%g = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, channel_handle = "
                             "#stablehlo.channel_handle<handle = "
                             "1, type = 1>, replica_groups = dense<[[0, 2, 4, 6, 1, 3, 5, 7]]> : "
                             "tensor<1x8xi64>, use_global_device_ids}> : "
                             "(tensor<1xf32>) -> tensor<8xf32>\nsdy.return %g : tensor<8xf32>";
  EXPECT_EQ(run_text(map_of(gathered, gather), {eight})[0], eight);
}

/// All four devices along x get the part of the third one.
TEST(trap, the_row_of_a_broadcast_begins_with_its_root) {
  const std::string text = map_of(
      row_by_x,
      "%s = \"stablehlo.collective_broadcast\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
      "type "
      "= 1>, replica_groups = dense<[[4, 0, 2, 6], [5, 1, 3, 7]]> : tensor<2x4xi64>}> : (tensor<2xf32>) -> "
      "tensor<2xf32>\nsdy.return %s : tensor<2xf32>");
  EXPECT_EQ(run_text(text, {eight})[0], Tensor(Shape{8}, Floats{4, 5, 4, 5, 4, 5, 4, 5}));
}

TEST(trap, pairs_cross_only_the_axes_that_they_cross) {
  const auto permute = [](const std::string& pairs) {
    return map_of(
        row_by_x,
        "%s = \"stablehlo.collective_permute\"(%a) <{channel_handle = #stablehlo.channel_handle<handle "
        "= 1, type = 1>, source_target_pairs = " +
            pairs + "}> : (tensor<2xf32>) -> tensor<2xf32>\nsdy.return %s : tensor<2xf32>");
  };
  const std::string ring =
      permute("dense<[[0, 2], [2, 4], [4, 6], [6, 0], [1, 3], [3, 5], [5, 7], [7, 1]]> : tensor<8x2xi64>");
  EXPECT_EQ(run_text(ring, {eight})[0], Tensor(Shape{8}, Floats{6, 7, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(program_text(ring).find("assume_invariant"), std::string::npos);
  EXPECT_EQ(run_text(permute("dense<> : tensor<0x2xi64>"), {eight})[0], Tensor(Shape{8}, Floats(8, 0)));
}

TEST(trap, a_result_of_all_gather_is_equal_on_all_devices) {
  const MapText gathered{.in = "<@mesh, [{\"x\"}]>",
                         .out = "<@mesh, [{}]>",
                         .whole = "tensor<8xf32>",
                         .part = "tensor<2xf32>",
                         .result = "tensor<8xf32>",
                         .whole_result = "tensor<8xf32>"};
  const std::string text =
      map_of(gathered, "%g = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, channel_handle = "
                       "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, "
                       "6], [1, 3, 5, 7]]> : "
                       "tensor<2x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> "
                       "tensor<8xf32>\nsdy.return %g : tensor<8xf32>");
  EXPECT_EQ(run_text(text, {eight})[0], eight);
  EXPECT_EQ(program_text(text).find("assume_invariant"), std::string::npos);
}

/// A map whose result names no axis, although devices differ: JAX's types would refuse it.
TEST(trap, a_result_that_no_axis_is_named_for_is_assumed_to_be_equal) {
  const MapText dropped{.in = "<@mesh, [{\"x\"}]>",
                        .out = "<@mesh, [{}]>",
                        .whole = "tensor<8xf32>",
                        .part = "tensor<2xf32>",
                        .result = "tensor<2xf32>",
                        .whole_result = "tensor<2xf32>"};
  const std::string text = map_of(dropped, "sdy.return %a : tensor<2xf32>");
  EXPECT_NE(program_text(text).find("assume_invariant"), std::string::npos);
  EXPECT_EQ(run_text(text, {Tensor(Shape{8}, Floats{5, 6, 5, 6, 5, 6, 5, 6})},
                     {.check_assumptions = true})[0],
            Tensor(Shape{2}, Floats{5, 6}));
  EXPECT_THROW(run_text(text, {eight}, {.check_assumptions = true}), Error);
}

TEST(trap, an_index_out_of_range_takes_the_last_branch) {
  const std::string text = module_of(
      "(%i: tensor<i32>) -> tensor<f32>",
      "%r = \"stablehlo.case\"(%i) ({\n%c = stablehlo.constant dense<1.0> : tensor<f32>\nstablehlo.return %c "
      ": tensor<f32>\n"
      "}, {\n%c = stablehlo.constant dense<2.0> : tensor<f32>\nstablehlo.return %c : tensor<f32>\n}, {\n"
      "%c = stablehlo.constant dense<3.0> : tensor<f32>\nstablehlo.return %c : tensor<f32>\n}) : "
      "(tensor<i32>) -> "
      "tensor<f32>\nreturn %r : tensor<f32>");
  const auto taken = [&](std::int32_t index) { return run_text(text, {Tensor::scalar(index)})[0].at(0); };
  EXPECT_EQ(taken(0), 1);
  EXPECT_EQ(taken(1), 2);
  EXPECT_EQ(taken(2), 3);
  EXPECT_EQ(taken(7), 3);
  EXPECT_EQ(taken(-1), 3);
}

TEST(trap, the_first_region_of_an_if_is_the_one_for_true) {
  const std::string text = module_of("(%p: tensor<i1>) -> tensor<f32>",
                                     "%r = \"stablehlo.if\"(%p) ({\n%c = stablehlo.constant dense<1.0> : "
                                     "tensor<f32>\nstablehlo.return %c : tensor<f32>\n"
                                     "}, {\n%c = stablehlo.constant dense<2.0> : "
                                     "tensor<f32>\nstablehlo.return %c : tensor<f32>\n}) : (tensor<i1>) -> "
                                     "tensor<f32>\nreturn %r : tensor<f32>");
  EXPECT_EQ(run_text(text, {Tensor::scalar(true)})[0].at(0), 1);
  EXPECT_EQ(run_text(text, {Tensor::scalar(false)})[0].at(0), 2);
}

TEST(trap, indices_may_be_unsigned) {
  const std::string text = module_of(
      "(%x: tensor<4xf32>, %i: tensor<ui8>) -> tensor<2xf32>",
      "%r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<ui8>) -> tensor<2xf32>\n"
      "return %r : tensor<2xf32>");
  const Tensor x(Shape{4}, Floats{0, 1, 2, 3});
  EXPECT_EQ(run_text(text, {x, Tensor::scalar(std::uint8_t{1})})[0], Tensor(Shape{2}, Floats{1, 2}));
  EXPECT_EQ(run_text(text, {x, Tensor::scalar(std::uint8_t{200})})[0], Tensor(Shape{2}, Floats{2, 3}));
}

TEST(trap, a_product_may_be_wider_than_its_operands) {
  const std::string text = module_of("(%x: tensor<1x2xbf16>) -> tensor<1x1xf32>",
                                     "%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : "
                                     "(tensor<1x2xbf16>, tensor<1x2xbf16>) -> "
                                     "tensor<1x1xf32>\nreturn %r : tensor<1x1xf32>");
  Tensor x(Shape{1, 2}, DType::bf16);
  x.mutable_data<std::uint16_t>()[0] = 0x3f81;  // 1.0078125
  x.mutable_data<std::uint16_t>()[1] = 0x4380;  // 256
  EXPECT_EQ(run_text(text, {x})[0].at(0), 65537.015625F);
}

TEST(trap, predicates_and_bounds_may_be_scalars) {
  const std::string text = module_of(
      "(%x: tensor<3xf32>, %p: tensor<i1>) -> tensor<3xf32>",
      "%lo = stablehlo.constant dense<0.0> : tensor<f32>\n%hi = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "%c = stablehlo.clamp %lo, %x, %hi : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>\n"
      "%r = stablehlo.select %p, %c, %x : tensor<i1>, tensor<3xf32>\nreturn %r : tensor<3xf32>");
  const Tensor x(Shape{3}, Floats{-1, 0.5, 2});
  EXPECT_EQ(run_text(text, {x, Tensor::scalar(true)})[0], Tensor(Shape{3}, Floats{0, 0.5, 1}));
  EXPECT_EQ(run_text(text, {x, Tensor::scalar(false)})[0], x);
}

TEST(trap, a_reduction_begins_with_its_init) {
  const auto sum_from = [](const std::string& init) {
    return run_text(
               module_of(
                   "(%x: tensor<3xf32>) -> tensor<f32>",
                   "%i = stablehlo.constant dense<" + init +
                       "> : tensor<f32>\n%r = stablehlo.reduce(%x init: %i) applies stablehlo.add across "
                       "dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>\nreturn %r : "
                       "tensor<f32>"),
               {Tensor(Shape{3}, Floats{1, 2, 3})})[0]
        .at(0);
  };
  EXPECT_EQ(sum_from("0.0"), 6);
  EXPECT_EQ(sum_from("10.0"), 16);
}

TEST(trap, groups_may_be_a_splat_or_empty) {
  const MapText one_device{.in = "<@mesh, [{}]>",
                           .out = "<@mesh, [{}]>",
                           .whole = "tensor<2xf32>",
                           .part = "tensor<2xf32>",
                           .result = "tensor<2xf32>",
                           .whole_result = "tensor<2xf32>"};
  const std::string all =
      map_of(one_device, all_reduce("dense<> : tensor<0x8xi64>") + "\nsdy.return %s : tensor<2xf32>");
  EXPECT_EQ(run_text(all, {Tensor(Shape{2}, Floats{1, 2})})[0],
            Tensor(Shape{2}, Floats{8, 16}));  // counted per device
  const std::string alone =
      "module {\nsdy.mesh @mesh = <[\"x\"=1]>\n" +
      module_of(
          "(%whole: tensor<2xf32>) -> tensor<2xf32>",
          "%r = sdy.manual_computation(%whole) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] "
          "manual_axes={\"x\"} (%a: tensor<2xf32>) {\n" +
              all_reduce("dense<0> : tensor<1x1xi64>") +
              "\nsdy.return %s : tensor<2xf32>\n} : (tensor<2xf32>) -> tensor<2xf32>\nreturn %r : "
              "tensor<2xf32>") +
      "}\n";
  EXPECT_EQ(run_text(alone, {Tensor(Shape{2}, Floats{1, 2})})[0], Tensor(Shape{2}, Floats{1, 2}));
}

TEST(trap, a_function_is_read_anew_for_each_call) {
  const std::string text =
      "module {\nsdy.mesh @mesh = <[\"x\"=4]>\n" +
      module_of(
          "(%whole: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>)",
          "%r:2 = sdy.manual_computation(%whole) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, "
          "[{\"x\"}]>, "
          "<@mesh, [{}]>] manual_axes={\"x\"} (%a: tensor<1xf32>) {\n%one = stablehlo.constant dense<3.0> : "
          "tensor<1xf32>\n%s = func.call @twice(%a) : (tensor<1xf32>) -> tensor<1xf32>\n%t = func.call "
          "@twice(%one) : (tensor<1xf32>) -> tensor<1xf32>\nsdy.return %s, %t : tensor<1xf32>, "
          "tensor<1xf32>\n} : "
          "(tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>)\nreturn %r#0, %r#1 : tensor<4xf32>, "
          "tensor<1xf32>") +
      "func.func private @twice(%x: tensor<1xf32>) -> tensor<1xf32> {\n%r = stablehlo.add %x, %x : "
      "tensor<1xf32>\nreturn "
      "%r : tensor<1xf32>\n}\n}\n";
  const Tensors results = run_text(text, {Tensor(Shape{4}, Floats{0, 1, 2, 3})});
  EXPECT_EQ(results[0], Tensor(Shape{4}, Floats{0, 2, 4, 6}));
  EXPECT_EQ(results[1], Tensor(Shape{1}, Floats{6}));
  EXPECT_EQ(program_text(text).find("assume_invariant"), std::string::npos);
}

TEST(trap, recursion_is_refused) {
  const std::string text =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%r = call @main(%x) : (tensor<f32>) -> "
      "tensor<f32>\nreturn %r : tensor<f32>\n}\n";
  EXPECT_NE(refusal_of_text(text).find(
                "the calls of @main are 200 deep: a recursion, or a chain that is too long here"),
            std::string::npos)
      << refusal_of_text(text);
}

TEST(trap, an_error_of_a_called_function_points_there_alone) {
  const std::string text =
      module_of("(%x: tensor<2xf32>) -> tensor<2xf32>",
                "%r = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %r : tensor<2xf32>") +
      "func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %b = stablehlo.reverse %a, dims = [3] : tensor<2xf32>\n  return %b : tensor<2xf32>\n}\n";
  const std::string said = refusal_of_text(text);
  EXPECT_TRUE(said.starts_with("T006 text:6:8: stablehlo.reverse: ")) << said;
  EXPECT_NE(said.find("\n    %b = stablehlo.reverse %a, dims = [3] : tensor<2xf32>\n         ^"),
            std::string::npos)
      << said;
  EXPECT_EQ(std::ranges::count(said, '^'), 1) << said;
}

TEST(trap, a_total_order_of_floats_tells_zeros_apart_and_places_nan) {
  const Tensor x(Shape{8}, Floats{-0.0F, 0.0F, 1, NAN, -1, -2, HUGE_VALF, -HUGE_VALF});
  const Tensor y(Shape{8}, Floats{0.0F, -0.0F, NAN, 1, -2, -1, NAN, -1});
  Tensor less(Shape{8}, DType::boolean);
  std::byte* at = less.mutable_bytes();
  for (const int bit : {1, 0, 1, 0, 0, 1, 1, 1}) *at++ = static_cast<std::byte>(bit);
  for (const std::string type : {"tensor<8xf32>", "tensor<8xf64>", "tensor<8xf16>", "tensor<8xbf16>"}) {
    const std::string text = module_of("(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1>",
                                       "%a = stablehlo.convert %x : (tensor<8xf32>) -> " + type +
                                           "\n%b = stablehlo.convert %y : (tensor<8xf32>) -> " + type +
                                           "\n%r = stablehlo.compare LT, %a, %b, TOTALORDER : (" + type +
                                           ", " + type + ") -> tensor<8xi1>\nreturn %r : tensor<8xi1>");
    EXPECT_EQ(run_text(text, {x, y})[0], less) << type;
  }
}

}  // namespace
}  // namespace tutti
