// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/nn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/functions/on_one_device.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/functions/folds/statistics.hpp"

namespace tutti {
namespace {

const Type logits(DType::f32, {8, 10}), labels(DType::i32, {8});

std::string refusal_of_trace(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return refusal_of([&] { trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }); });
}

TEST(nn, carry_the_line_of_the_caller) {
  int line = 0;
  Program program = trace({logits}, [&](const Arrays& x) {
                      line = __LINE__ + 1;
                      return Arrays{variance(softmax(x[0]))};
                    }).program;
  for (const Equation& equation : program.equations) {
    EXPECT_NE(std::string(equation.where.file).find("nn_test.cpp"), std::string::npos)
        << to_string(equation.op);
    EXPECT_EQ(equation.where.line, line) << to_string(equation.op);
  }
}

TEST(nn, softmax_does_not_differentiate_its_shift) {
  EXPECT_EQ(program_text({logits}, [](const Arrays& x) { return softmax(x[0]); }),
            "program(%0: f32[8,10]) {\n"
            "  %1: f32[8,10] = stop_gradient %0\n"
            "  %2: f32[8] = reduce_max{dims=[1]} %1\n"
            "  %3: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %2\n"
            "  %4: f32[8,10] = sub %0, %3\n"
            "  %5: f32[8,10] = exp %4\n"
            "  %6: f32[8] = reduce_sum{dims=[1]} %5\n"
            "  %7: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %6\n"
            "  %8: f32[8,10] = div %5, %7\n"
            "  return %8\n}\n");
}

TEST(nn, softmax_refuses_a_dim_out_of_range) {
  EXPECT_EQ(refusal_of_trace({logits}, [](const Arrays& x) { return softmax(x[0], 2); }),
            "T006: softmax: dim 2 is out of range for f32[8,10], which has dims -2 to 1");
}

TEST(nn, one_hot_compares_with_the_classes) {
  EXPECT_EQ(program_text({labels}, [](const Arrays& x) { return one_hot(x[0], 3, DType::f64); }),
            "program(%0: i32[8]) {\n"
            "  %1: i32[8,3] = broadcast_in_dim{to=[8,3], dims=[0]} %0\n"
            "  %2: i32[8,3] = iota{dim=1}\n"
            "  %3: bool[8,3] = eq %1, %2\n"
            "  %4: f64[8,3] = convert{to=f64} %3\n"
            "  return %4\n}\n");
}

TEST(nn, one_hot_refuses_floats) {
  EXPECT_EQ(refusal_of_trace({logits}, [](const Arrays& x) { return one_hot(x[0], 3); }),
            "T007: one_hot: f32[8,10] is not an array of integers, so it has no classes; convert it: "
            "convert(x, DType::i32)");
}

TEST(nn, one_hot_refuses_a_negative_number_of_classes) {
  EXPECT_EQ(refusal_of_trace({labels}, [](const Arrays& x) { return one_hot(x[0], -1); }),
            "T005: one_hot: -1 classes; the number of classes is 0 or more");
}

TEST(nn, cross_entropy_picks_the_label_before_the_logarithm) {
  EXPECT_EQ(program_text({logits, labels}, [](const Arrays& x) { return cross_entropy(x[0], x[1]); }),
            "program(%0: f32[8,10], %1: i32[8]) {\n"
            "  %2: f32[8,10] = stop_gradient %0\n"
            "  %3: f32[8] = reduce_max{dims=[1]} %2\n"
            "  %4: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %3\n"
            "  %5: f32[8,10] = sub %0, %4\n"
            "  %6: i32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %1\n"
            "  %7: i32[8,10] = iota{dim=1}\n"
            "  %8: bool[8,10] = eq %6, %7\n"
            "  %9: f32[] = constant{value=0}\n"
            "  %10: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[]} %9\n"
            "  %11: f32[8,10] = select %8, %5, %10\n"
            "  %12: f32[8] = reduce_sum{dims=[1]} %11\n"
            "  %13: f32[8,10] = exp %5\n"
            "  %14: f32[8] = reduce_sum{dims=[1]} %13\n"
            "  %15: f32[8] = log %14\n"
            "  %16: f32[8] = sub %15, %12\n"
            "  %17: f32[] = reduce_sum{dims=[0]} %16\n"
            "  %18: f32[] = constant{value=8}\n"
            "  %19: f32[] = div %17, %18\n"
            "  return %19\n}\n");
}

TEST(nn, cross_entropy_refuses_labels_of_another_shape) {
  EXPECT_EQ(refusal_of_trace({logits, logits}, [](const Arrays& x) { return cross_entropy(x[0], x[1]); }),
            "T005: cross_entropy: labels f32[8,10] do not fit logits f32[8,10]; logits have one more dim, "
            "the classes, "
            "as their last");
}

TEST(nn, cross_entropy_refuses_labels_that_are_not_integers) {
  EXPECT_EQ(refusal_of_trace({logits, Type(DType::f32, {8})},
                             [](const Arrays& x) { return cross_entropy(x[0], x[1]); }),
            "T007: cross_entropy: f32[8] is not an array of integers, so it has no classes; convert it: "
            "convert(x, DType::i32)");
}

// As logaddexp has: the largest share it.
TEST(nn, logsumexp_has_a_gradient_where_it_is_infinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto gradient = [](const std::vector<double>& x) {
    return slope_on_one_device({doubles(x)}, [](const Arrays& a) { return logsumexp(a[0]); });
  };
  EXPECT_EQ(gradient({-infinity, -infinity}), doubles({0.5, 0.5}));
  EXPECT_EQ(gradient({-infinity, infinity, 0, infinity}), doubles({0, 0.5, 0, 0.5}));
  EXPECT_EQ(gradient({-infinity, 3}), doubles({0, 1}));
  const Tensor pair = doubles({-infinity, -infinity});
  auto of_pair = [](const Arrays& a) { return logaddexp(index_in_dim(a[0], 0), index_in_dim(a[0], 1)); };
  EXPECT_EQ(gradient({-infinity, -infinity}), slope_on_one_device({pair}, of_pair));
}

TEST(nn, logsumexp_of_nothing_and_of_infinite_elements_is_infinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto of = [](const std::vector<double>& x) {
    return on_one_device({doubles(x)}, [](const Arrays& a) { return logsumexp(a[0]); }).at(0);
  };
  EXPECT_EQ(of({}), -infinity);
  EXPECT_EQ(of({-infinity, -infinity}), -infinity);
  EXPECT_EQ(of({-infinity, infinity}), infinity);
  EXPECT_TRUE(std::isnan(of({infinity, std::numeric_limits<double>::quiet_NaN()})));
}

TEST(nn, logsumexp_and_log_softmax_have_the_shape_of_their_dims) {
  TracedProgram traced = trace({logits}, [](const Arrays& x) {
    return Arrays{logsumexp(x[0]), logsumexp(x[0], 0), log_softmax(x[0], 0)};
  });
  check(traced.program);
  EXPECT_EQ(traced.program.types_of(traced.program.outputs),
            (Types{Type(DType::f32, {}), Type(DType::f32, {10}), logits}));
}

}  // namespace
}  // namespace tutti
