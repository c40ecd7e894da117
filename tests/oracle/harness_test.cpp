// SPDX-License-Identifier: Apache-2.0
// The oracles can say no, and do.
#include <gtest/gtest.h>

#include "tests/support/oracle.hpp"

namespace tutti {
namespace {

class harness : public OracleTest {};

/// Sum over all of `devices`, in groups and with a result as the test wants them.
std::string sum_text(const std::string& groups, const std::string& result) {
  return R"(module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=4]>, sym_name = "mesh"}> : () -> ()
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>}> ({
    ^bb0(%arg1: tensor<2xf32>):
      %1 = "stablehlo.all_reduce"(%arg1) <{replica_groups = dense<)" +
         groups +
         R"(> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %2 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%2) : (tensor<f32>) -> ()
      }) : (tensor<2xf32>) -> )" +
         result + R"(
      "sdy.return"(%1) : ()" +
         result + R"() -> ()
    }) : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%0) : (tensor<2xf32>) -> ()
  }
})";
}

const std::vector<Tensors> four_inputs = {{
    Tensor(Shape{2}, std::vector<float>{1, 10}),
    Tensor(Shape{2}, std::vector<float>{2, 20}),
    Tensor(Shape{2}, std::vector<float>{3, 30}),
    Tensor(Shape{2}, std::vector<float>{4, 40}),
}};

TEST_F(harness, brings_back_what_each_device_computed) {
  Verdict verdict = Oracle::shared().run(sum_text("[[0, 1, 2, 3]]", "tensor<2xf32>"), 4, four_inputs);
  EXPECT_EQ(verdict.failure, "");
  ASSERT_EQ(verdict.results.size(), 1U);
  EXPECT_EQ(verdict.results[0], Tensors(4, Tensor(Shape{2}, std::vector<float>{10, 100})));
}

TEST_F(harness, reports_a_result_type_that_the_verifier_refuses) {
  Verdict verdict = Oracle::shared().check(sum_text("[[0, 1, 2, 3]]", "tensor<3xf32>"));
  ASSERT_FALSE(verdict.errors.empty());
  EXPECT_TRUE(verdict.errors[0].starts_with("6:")) << verdict.errors[0];
}

TEST_F(harness, reports_text_that_the_parser_cannot_read) {
  EXPECT_EQ(Oracle::shared().check("func.func @f() {\n  %0 = oops\n}").errors.size(), 1U);
}

TEST_F(harness, reports_groups_that_the_verifier_refuses) {
  Verdict verdict = Oracle::shared().run(sum_text("[[0, 1, 2, 2]]", "tensor<2xf32>"), 4, four_inputs);
  EXPECT_EQ(verdict.errors.size(), 1U);
}

TEST_F(harness, reports_groups_that_only_xla_refuses) {
  std::string text = sum_text("[[0, 1, 2, 3]]", "tensor<2xf32>");
  text.replace(text.find("tensor<1x4xi64>"), 15, "tensor<1x2xi64>")
      .replace(text.find("[[0, 1, 2, 3]]"), 14, "[[0, 1]]");
  EXPECT_TRUE(Oracle::shared().check(text).errors.empty());
  Verdict verdict = Oracle::shared().run(text, 4, four_inputs);
  EXPECT_TRUE(verdict.errors.empty());
  EXPECT_NE(verdict.failure, "");
}

// XLA 0.10.2 divides constants by zero while it compiles.
TEST_F(harness, survives_a_crash_of_xla) {
  Verdict crashed = Oracle::shared().run(R"(module attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main() -> tensor<i32> {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.divide %0, %1 : tensor<i32>
    return %2 : tensor<i32>
  }
})",
                                         1, {});
  EXPECT_NE(crashed.failure.find("died of signal"), std::string::npos) << crashed.failure;
  EXPECT_TRUE(Oracle::shared().check(sum_text("[[0, 1, 2, 3]]", "tensor<2xf32>")).errors.empty());
}

class interpreter : public OracleTest {
 protected:
  static Verdict run(const std::string& text) { return Oracle::interpreter().run(text, 4, four_inputs); }
  const std::string sum_of_four = sum_text("[[0, 1, 2, 3]]", "tensor<2xf32>");
};

TEST_F(interpreter, brings_back_what_each_device_computed) {
  Verdict verdict = run(sum_of_four);
  EXPECT_EQ(verdict.failure, "");
  ASSERT_EQ(verdict.results.size(), 1U);
  EXPECT_EQ(verdict.results[0], Tensors(4, Tensor(Shape{2}, std::vector<float>{10, 100})));
}

TEST_F(interpreter, reports_text_that_the_verifier_refuses) {
  Verdict verdict = run(sum_text("[[0, 1, 2, 3]]", "tensor<3xf32>"));
  ASSERT_FALSE(verdict.errors.empty());
  EXPECT_TRUE(verdict.errors[0].starts_with("6:")) << verdict.errors[0];
}

// It aborts where devices are in no group. The next question starts another process.
TEST_F(interpreter, survives_its_crash) {
  std::string crash = sum_text("[[0, 1]]", "tensor<2xf32>");
  crash.replace(crash.find("tensor<1x4xi64>"), 15, "tensor<1x2xi64>");
  Verdict crashed = run(crash);  // devices 2 and 3 are in no group
  EXPECT_NE(crashed.failure.find("died of signal Aborted"), std::string::npos) << crashed.failure;
  EXPECT_EQ(run(sum_of_four).failure, "");
}

TEST_F(interpreter, is_not_asked_where_it_is_known_to_be_wrong) {
  std::string text = sum_of_four;
  std::size_t from = text.find("%1 = "), end = text.find(R"(      "sdy.return")");
  std::string again = text.substr(from, end - from);
  again.replace(0, 2, "%7").replace(again.find("(%arg1)"), 7, "(%1)");
  text.insert(end, "      " + again);
  text.replace(text.find(R"("sdy.return"(%1))"), 16, R"("sdy.return"(%7))");
  EXPECT_EQ(run(text).failure.find("known defect: of two collectives with "), 0U) << run(text).failure;
  text.replace(text.rfind("handle = 1"), 10, "handle = 2");
  EXPECT_EQ(run(text).failure, "");
  EXPECT_EQ(run(text).results.at(0), Tensors(4, Tensor(Shape{2}, std::vector<float>{40, 400})));
}

TEST(oracle, reports_a_child_that_does_not_answer) {
  Oracle silent({"/bin/sleep", "60"}, 100);
  EXPECT_EQ(silent.check("").failure, "the child process gave no answer within 100 ms");
}

TEST(oracle, says_what_is_missing) {
  EXPECT_NE(Oracle({"no/such/python"}).missing().find("run tools/setup"), std::string::npos);
}

}  // namespace
}  // namespace tutti
