// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/read/harness.hpp"
#include "tests/support/print.hpp"

namespace tutti {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

/// A loop of `length` iterations as JAX writes a scan: xs read at `index`, ys written there.
std::string scan_text(bool is_reverse) {
  const std::string index =
      is_reverse ? "%n = stablehlo.constant dense<3> : tensor<i32>\n%left = stablehlo.subtract %n, %i : "
                   "tensor<i32>\n%at = stablehlo.subtract %left, %one : tensor<i32>\n"
                 : "%at = stablehlo.constant dense<0> : tensor<i32>\n";
  const std::string at = is_reverse ? "%at" : "%i";
  return module_of(
             "(%xs: tensor<3x2xf32>, %c0: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>)",
             "%zero = stablehlo.constant dense<0> : tensor<i32>\n%ys0 = stablehlo.constant dense<0.0> : "
             "tensor<3x2xf32>\n"
             "%limit = stablehlo.constant dense<3> : tensor<i32>\n"
             "%r:4 = stablehlo.while(%x = %xs, %i = %zero, %c = %c0, %ys = %ys0) : tensor<3x2xf32>, "
             "tensor<i32>, tensor<2xf32>, "
             "tensor<3x2xf32>\ncond {\n%p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, "
             "tensor<i32>) -> tensor<i1>\n"
             "stablehlo.return %p : tensor<i1>\n} do {\n%one = stablehlo.constant dense<1> : tensor<i32>\n" +
                 index + "%s = func.call @row(%x, " + at +
                 ") : (tensor<3x2xf32>, tensor<i32>) -> tensor<2xf32>\n"
                 "%f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>\n"
                 "%fb = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
                 "%d = stablehlo.add %c, %c : tensor<2xf32>\n%e = stablehlo.add %d, %s : tensor<2xf32>\n"
                 "%y = stablehlo.add %e, %fb : tensor<2xf32>\n"
                 "%u = func.call @put(%ys, %y, " +
                 at +
                 ") : (tensor<3x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<3x2xf32>\n"
                 "%next = stablehlo.add %i, %one : tensor<i32>\nstablehlo.return %x, %next, %e, %u : "
                 "tensor<3x2xf32>, tensor<i32>, "
                 "tensor<2xf32>, tensor<3x2xf32>\n}\nreturn %r#2, %r#3 : tensor<2xf32>, tensor<3x2xf32>") +
         "func.func private @row(%x: tensor<3x2xf32>, %i: tensor<i32>) -> tensor<2xf32> {\n%z = "
         "stablehlo.constant dense<0> "
         ": tensor<i32>\n%s = stablehlo.dynamic_slice %x, %i, %z, sizes = [1, 2] : (tensor<3x2xf32>, "
         "tensor<i32>, "
         "tensor<i32>) -> tensor<1x2xf32>\n%r = stablehlo.reshape %s : (tensor<1x2xf32>) -> "
         "tensor<2xf32>\nreturn %r : "
         "tensor<2xf32>\n}\n"
         "func.func private @put(%x: tensor<3x2xf32>, %y: tensor<2xf32>, %i: tensor<i32>) -> tensor<3x2xf32> "
         "{\n%z = "
         "stablehlo.constant dense<0> : tensor<i32>\n%b = stablehlo.broadcast_in_dim %y, dims = [1] : "
         "(tensor<2xf32>) -> "
         "tensor<1x2xf32>\n%r = stablehlo.dynamic_update_slice %x, %b, %i, %z : (tensor<3x2xf32>, "
         "tensor<1x2xf32>, "
         "tensor<i32>, tensor<i32>) -> tensor<3x2xf32>\nreturn %r : tensor<3x2xf32>\n}\n";
}
const Tensor rows(Shape{3, 2}, Floats{1, 2, 3, 4, 5, 6}), carry(Shape{2}, Floats{1, -1});

TEST(counted_loop, is_read_as_a_scan) {
  const std::string program = program_text(scan_text(false));
  EXPECT_NE(program.find("scan"), std::string::npos) << program;
  EXPECT_EQ(program.find("while"), std::string::npos) << program;
  const Tensors results = run_text(scan_text(false), {rows, carry});
  EXPECT_EQ(results[0], Tensor(Shape{2}, Floats{8 + 4 + 6 + 5, -8 + 8 + 8 + 6}));
  EXPECT_EQ(results[1], Tensor(Shape{3, 2}, Floats{3, 0, 10, 5, 25, 16}));
}

TEST(counted_loop, may_go_from_the_last_slice_to_the_first) {
  const std::string program = program_text(scan_text(true));
  EXPECT_NE(program.find("reverse"), std::string::npos) << program;
  const Tensors results = run_text(scan_text(true), {rows, carry});
  EXPECT_EQ(results[0], Tensor(Shape{2}, Floats{8 + 20 + 6 + 1, -8 + 24 + 8 + 2}));
  EXPECT_EQ(results[1], Tensor(Shape{3, 2}, Floats{37, 28, 18, 13, 7, 4}));
}

TEST(counted_loop, has_a_gradient) {
  const Loaded program = load_text(scan_text(false));
  const auto loss = [&](const Array& x, const Array& c) {
    const std::vector<Array> results = program({x, c});
    return reduce_sum(results[0]) + reduce_sum(results[1]);
  };
  const Array x(rows), c(carry);
  const auto [by_x, by_c] = open_local(Mesh()).compile(grad<0, 1>(loss), x, c)(x, c);
  EXPECT_EQ(by_x.tensor(), Tensor(Shape{3, 2}, Floats{11, 11, 5, 5, 2, 2}));
  EXPECT_EQ(by_c.tensor(), Tensor(Shape{2}, Floats{22, 22}));
}

/// Each of these has a body that only looks like that of a scan.
TEST(counted_loop, is_a_while_where_a_scan_would_be_wrong) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = scan_text(false);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {changed("%one = stablehlo.constant dense<1>", "%one = stablehlo.constant dense<2>"),
        changed("%zero = stablehlo.constant dense<0>", "%zero = stablehlo.constant dense<1>"),
        changed("compare LT, %i, %limit", "compare LE, %i, %limit")})
    EXPECT_NE(program_text(text).find("while"), std::string::npos) << text;
}

/// A carry that is written and also read is carried.
TEST(counted_loop, keeps_a_carry_that_is_read_where_it_is_written) {
  std::string text = scan_text(false);
  const std::string from = "%d = stablehlo.add %c, %c : tensor<2xf32>";
  const std::string to = "%old = func.call @row(%ys, %i) : (tensor<3x2xf32>, tensor<i32>) -> tensor<2xf32>\n"
                         "%d = stablehlo.add %c, %old : tensor<2xf32>";
  text.replace(text.find(from), from.size(), to);
  const Tensors results = run_text(text, {rows, carry});
  EXPECT_EQ(results[0], Tensor(Shape{2}, Floats{1 + 1 + 3 + 5, -1 + 2 + 4 + 6}));
}

std::string sort_text(const std::string& compare) {
  return module_of(
      "(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi32>)",
      "%i = stablehlo.iota dim = 0 : tensor<5xi32>\n%r:2 = \"stablehlo.sort\"(%x, %i) <{dimension = 0 : i64, "
      "is_stable = true}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):\n" +
          compare +
          "\nstablehlo.return %c : tensor<i1>\n}) : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, "
          "tensor<5xi32>)\nreturn %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>");
}
const Tensor unsorted(Shape{5}, Floats{2, 1, 3, 1, 2});

TEST(sort, orders_up_and_down_and_keeps_the_order_of_equal_elements) {
  const Tensors up =
      run_text(sort_text(
                   "%c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>"),
               {unsorted});
  EXPECT_EQ(up[0], Tensor(Shape{5}, Floats{1, 1, 2, 2, 3}));
  EXPECT_EQ(up[1], Tensor(Shape{5}, Ints{1, 3, 0, 4, 2}));
  const Tensors down =
      run_text(sort_text(
                   "%c = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>"),
               {unsorted});
  EXPECT_EQ(down[0], Tensor(Shape{5}, Floats{3, 2, 2, 1, 1}));
  EXPECT_EQ(down[1], Tensor(Shape{5}, Ints{2, 0, 4, 1, 3}));
}

TEST(sort, orders_by_two_keys) {
  const std::string by_two =
      "%l = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n%e = "
      "stablehlo.compare EQ, %a, "
      "%b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n%s = stablehlo.compare LT, %p, %q, SIGNED : "
      "(tensor<i32>, "
      "tensor<i32>) -> tensor<i1>\n%c = stablehlo.select %e, %s, %l : tensor<i1>, tensor<i1>";
  EXPECT_NE(program_text(sort_text(by_two)).find("num_keys=2"), std::string::npos)
      << program_text(sort_text(by_two));
}

TEST(sort, refuses_orders_of_other_kinds) {
  for (const std::string compare :
       {"%c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "%c = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "%c = stablehlo.compare LE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>"})
    EXPECT_TRUE(refusal_of_text(sort_text(compare)).starts_with("S002"))
        << refusal_of_text(sort_text(compare));
}

TEST(fft, refuses_a_kind_that_there_is_not) {
  const std::string refusal = refusal_of_text(
      "func.func @main(%x: tensor<4xf32>) -> tensor<3xcomplex<f32>> {\n"
      "%0 = stablehlo.fft %x, type = HFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>\n"
      "return %0 : tensor<3xcomplex<f32>>\n}");
  EXPECT_NE(refusal.find("fft_type is HFFT, not FFT, IFFT, RFFT or IRFFT"), std::string::npos) << refusal;
}

TEST(lapack, refuses_letters_that_its_arguments_have_not) {
  const auto potrf = [](int letter) {
    return "func.func @main(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {\n"
           "%0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%x) {mhlo.backend_config = {uplo = " +
           std::to_string(letter) +
           " : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)\n"
           "return %0#0 : tensor<2x2xf64>\n}";
  };
  EXPECT_EQ(refusal_of_text(potrf('L')), "accepted");
  EXPECT_EQ(refusal_of_text(potrf('U')), "accepted");
  const std::string refusal = refusal_of_text(potrf('X'));
  EXPECT_NE(refusal.find("a call of LAPACK has the uplo 88 in its mhlo.backend_config; it is the code of one "
                         "of LU"),
            std::string::npos)
      << refusal;
}

TEST(read, refuses_all_that_is_not_run_at_once) {
  const std::string text = module_of(
      "(%x: tensor<4xf32>, %k: tensor<2xui64>) -> tensor<4xf32>",
      "%a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>\n"
      "%b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>\n"
      "%s, %n = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> "
      "(tensor<2xui64>, tensor<4xui32>)\n%c = stablehlo.custom_call @lapack_sgetrf(%x) : (tensor<4xf32>) -> "
      "tensor<4xf32>\nreturn %c : tensor<4xf32>");
  EXPECT_EQ(
      refusal_of_text(text),
      "S002 text:2:6: 3 kinds of operations of this program are not run here\n"
      "  stablehlo.get_dimension_size, 2 times, first at text:2:6; instead: export with fixed shapes\n"
      "  stablehlo.rng_bit_generator, 1 time, first at text:4:10; instead: draw by threefry: jax.random with "
      "the "
      "default generator\n"
      "  stablehlo.custom_call: a call of @lapack_sgetrf, 1 time, first at text:5:6; instead: compute it "
      "before, and pass "
      "the result");
}

TEST(read, names_the_line_of_the_user) {
  const std::string text =
      module_of("(%x: tensor<4xf32>) -> tensor<4xf32>",
                "%a = stablehlo.add %x, %x : tensor<4xf32> loc(callsite(\"model.py\":7:3 at "
                "\"train.py\":9:1))\nreturn %a : tensor<4xf32>");
  EXPECT_NE(program_text(text).find("// model.py:7:3"), std::string::npos) << program_text(text);
}

TEST(read, names_a_result_that_is_another_than_the_text_says) {
  const std::string text =
      module_of("(%x: tensor<4x2xf32>) -> tensor<4xf32>",
                "%a = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<4xf32>\n"
                "return %a : tensor<4xf32>");
  EXPECT_EQ(refusal_of_text(text),
            "T005 text:2:6: stablehlo.transpose: the result is f32[2,4], but the text says f32[4]\n"
            "  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<4xf32>\n"
            "       ^");
}

TEST(read, says_what_is_wrong_with_maps) {
  const auto refused = [](const std::string& from, const std::string& to) {
    std::string text = map_of({.in = "<@mesh, [{\"x\"}]>",
                               .out = "<@mesh, [{\"x\"}]>",
                               .whole = "tensor<8xf32>",
                               .part = "tensor<2xf32>",
                               .result = "tensor<2xf32>",
                               .whole_result = "tensor<8xf32>"},
                              "sdy.return %a : tensor<2xf32>");
    text.replace(text.find(from), from.size(), to);
    const std::string said = refusal_of_text(text);
    return said.substr(0, said.find('\n'));
  };
  EXPECT_EQ(refused("in_shardings=[<@mesh, [{\"x\"}]>]", "in_shardings=[<@mesh, [{\"z\"}]>]"),
            "T001 text:4:6: sdy.manual_computation: the mesh x=4,y=2 has no axis 'z'");
  EXPECT_EQ(refused("manual_axes={\"x\", \"y\"}", "manual_axes={\"x\", \"z\"}").substr(0, 4), "T001");
  EXPECT_EQ(
      refused("in_shardings=[<@mesh, [{\"x\"}]>]", "in_shardings=[<@mesh, [{\"x\"}, {}]>]").substr(0, 4),
      "T013");
  EXPECT_EQ(refused("in_shardings=[<@mesh, [{\"x\"}]>]", "in_shardings=[]").substr(0, 4), "T013");
  EXPECT_EQ(refused("\"y\"=2", "\"y\"=3").substr(0, 4), "T014");
  EXPECT_EQ(refused("in_shardings=[<@mesh, [{\"x\"}]>]", "in_shardings=[<@mesh, [{\"y\"}]>]"),
            "T005 text:4:6: sdy.manual_computation: argument 0 enters as f32[4], but the body takes f32[2]");
  EXPECT_EQ(refused("<[\"x\"=4, \"y\"=2]>", "<[\"x\"=3, \"y\"=2]>").substr(0, 4), "T014");
}

TEST(load, tells_parameters_and_results) {
  const Loaded program = load_text(
      "module {\nsdy.mesh @mesh = <[\"x\"=4]>\nfunc.func public @main(%a: tensor<8x2xf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>} loc(\"weights\"), %b: tensor<i32>) -> (tensor<8x2xf32> "
      "{jax.result_info = "
      "\"loss\"}) {\nreturn %a : tensor<8x2xf32>\n}\n}\n");
  ASSERT_EQ(program.parameters().size(), 2U);
  EXPECT_EQ(program.parameters()[0].name, "weights");
  EXPECT_EQ(to_string(*program.parameters()[0].spec), "P(x)");
  EXPECT_EQ(program.parameters()[1].name, "arg1");
  EXPECT_FALSE(program.parameters()[1].spec.has_value());
  EXPECT_EQ(program.results().at(0).name, "loss");
  EXPECT_EQ(program.mesh(), Mesh({{"x", 4}}));
}

TEST(load, gives_what_vmap_and_lower_text_take) {
  const Loaded program =
      load_text(module_of("(%x: tensor<2xf32>) -> tensor<2xf32>",
                          "%a = stablehlo.multiply %x, %x : tensor<2xf32>\nreturn %a : tensor<2xf32>"));
  const std::vector<Array> lanes{Array(Tensor(Shape{3, 2}, Floats{1, 2, 3, 4, 5, 6}))};
  EXPECT_EQ(open_local(Mesh()).compile(vmap(program), lanes)(lanes)[0].tensor(),
            Tensor(Shape{3, 2}, Floats{1, 4, 9, 16, 25, 36}));
}

/// The program of one device, without a map: its arrays have the devices as dim 0.
TEST(load, takes_the_program_of_one_device) {
  const auto text = [](const std::string& counts, const std::string& id) {
    return "module attributes {" + counts + "} {\n" +
           module_of(
               "(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>)",
               "%s = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> "
               "({\n"
               "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n%t = stablehlo.add %p, %q : tensor<f32>\n"
               "stablehlo.return %t : tensor<f32>\n}) : (tensor<2xf32>) -> tensor<2xf32>\n%i = stablehlo." +
                   id + " : tensor<ui32>\nreturn %s, %i : tensor<2xf32>, tensor<ui32>") +
           "}\n";
  };
  const Tensor rows_of_three(Shape{3, 2}, Floats{1, 2, 3, 4, 5, 6});
  for (const auto& [counts, id] : {std::pair{"mhlo.num_partitions = 3 : i32", "partition_id"},
                                   std::pair{"mhlo.num_replicas = 3 : i32", "replica_id"}}) {
    const Tensors results = run_text(text(counts, id), {rows_of_three});
    EXPECT_EQ(results[0], Tensor(Shape{3, 2}, Floats{9, 12, 9, 12, 9, 12}));
    EXPECT_EQ(results[1], Tensor(Shape{3}, std::vector<std::uint32_t>{0, 1, 2}));
  }
}

TEST(load, chooses_a_platform) {
  const std::string text = module_of(
      "(%p: tensor<i32> {jax.global_constant = \"_platform_index\"}, %x: tensor<f32>) -> tensor<f32>",
      "%r = \"stablehlo.case\"(%p) ({\nstablehlo.return %x : tensor<f32>\n}, {\n%n = stablehlo.negate %x : "
      "tensor<f32>\nstablehlo.return %n : tensor<f32>\n}) : (tensor<i32>) -> tensor<f32>\nreturn %r : "
      "tensor<f32>");
  for (const int platform : {0, 1}) {
    const Loaded program = load_text(text, "text", {.platform_index = platform});
    ASSERT_EQ(program.parameters().size(), 1U);
    const std::vector<Array> x{Array(Tensor::scalar(3.0F))};
    EXPECT_EQ(open_local(Mesh()).compile(program, x)(x)[0].tensor().at(0), platform == 0 ? 3 : -3);
  }
}

}  // namespace
}  // namespace tutti
