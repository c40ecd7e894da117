// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/convert.hpp"

namespace tutti {
namespace {

const Type logits(DType::f32, {8, 10}), labels(DType::i32, {8});

std::string refusal_of_trace(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return refusal_of([&] { trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }); });
}

TEST(statistics, mean_divides_the_sum) {
  EXPECT_EQ(program_text({logits}, [](const Arrays& x) { return mean(x[0], 1); }),
            "program(%0: f32[8,10]) {\n"
            "  %1: f32[8] = reduce_sum{dims=[1]} %0\n"
            "  %2: f32[] = constant{value=10}\n"
            "  %3: f32[8] = broadcast_in_dim{to=[8], dims=[]} %2\n"
            "  %4: f32[8] = div %1, %3\n"
            "  return %4\n}\n");
}

TEST(statistics, mean_of_integers_is_f32) {
  EXPECT_EQ(program_text({labels}, [](const Arrays& x) { return mean(x[0]); }),
            "program(%0: i32[8]) {\n"
            "  %1: f32[8] = convert{to=f32} %0\n"
            "  %2: f32[] = reduce_sum{dims=[0]} %1\n"
            "  %3: f32[] = constant{value=8}\n"
            "  %4: f32[] = div %2, %3\n"
            "  return %4\n}\n");
}

// bf16 reaches as far as f32: the difference of two such numbers may be infinite.
TEST(statistics, of_large_bf16_are_those_of_f32) {
  for (const float large : {2e38F, 3e38F, -3e38F}) {
    const Tensor x({2}, {large, -large});
    const auto of = [&](DType dtype, const std::function<Array(const Array&)>& function) {
      const auto wide = [&](const Arrays& v) { return convert(function(convert(v[0], dtype)), DType::f64); };
      return Array(computed_by(wide, {x})).values<double>();
    };
    const auto spread = [](const Array& v) { return variance(v); };
    const auto standard = [](const Array& v) { return standardize(v); };
    EXPECT_EQ(of(DType::bf16, spread), (std::vector<double>{std::numeric_limits<double>::infinity()}));
    EXPECT_EQ(of(DType::bf16, standard), (std::vector<double>{0, 0}));
    EXPECT_EQ(of(DType::f32, standard), (std::vector<double>{0, 0}));
  }
}

TEST(statistics, mean_passes_an_unreduced_sum) {
  Axis a = example_mesh().axes()[0];
  TracedProgram traced =
      trace({logits.with(a, unreduced)}, [](const Arrays& x) { return Arrays{mean(x[0])}; });
  EXPECT_EQ(traced.program.type(traced.program.outputs[0]), Type(DType::f32, {}).with(a, unreduced));
}

TEST(statistics, standardize_takes_the_mean_away_once) {
  EXPECT_EQ(program_text({logits}, [](const Arrays& x) { return standardize(x[0], -1, 0.5); }),
            "program(%0: f32[8,10]) {\n"
            "  %1: f32[8] = reduce_sum{dims=[1]} %0\n"
            "  %2: f32[] = constant{value=10}\n"
            "  %3: f32[8] = broadcast_in_dim{to=[8], dims=[]} %2\n"
            "  %4: f32[8] = div %1, %3\n"
            "  %5: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %4\n"
            "  %6: f32[8,10] = sub %0, %5\n"
            "  %7: f32[8,10] = mul %6, %6\n"
            "  %8: f32[8] = reduce_sum{dims=[1]} %7\n"
            "  %9: f32[] = constant{value=10}\n"
            "  %10: f32[8] = broadcast_in_dim{to=[8], dims=[]} %9\n"
            "  %11: f32[8] = div %8, %10\n"
            "  %12: f32[] = constant{value=0.5}\n"
            "  %13: f32[8] = broadcast_in_dim{to=[8], dims=[]} %12\n"
            "  %14: f32[8] = add %11, %13\n"
            "  %15: f32[8] = rsqrt %14\n"
            "  %16: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[0]} %15\n"
            "  %17: f32[8,10] = mul %6, %16\n"
            "  return %17\n}\n");
}

TEST(statistics, standardize_of_integers_is_f32) {
  EXPECT_EQ(trace({labels}, [](const Arrays& x) { return Arrays{standardize(x[0])}; }).program.types.back(),
            Type(DType::f32, {8}));
}

TEST(statistics, standardize_refuses_complex_numbers) {
  EXPECT_EQ(refusal_of_trace({Type(DType::complex64, {8})},
                             [](const Arrays& x) { return standardize(x[0]); }),
            "T007: standardize: complex64[8] is complex; standardize its parts: standardize(real(x)), "
            "standardize(imag(x))");
}

Tensor row(const std::vector<double>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
const Tensor four = row({1, 2, 3, 6});

TEST(statistics, variance_takes_degrees_of_freedom_and_keeps_dims) {
  auto variance_less = [](double ddof) {
    return computed_by([=](const Arrays& x) { return variance(x[0], 0, {.ddof = ddof, .keepdims = true}); },
                       {four});
  };
  EXPECT_EQ(variance_less(0), row({3.5}));
  EXPECT_EQ(variance_less(2), row({7}));
  EXPECT_EQ(variance_less(9), row({std::numeric_limits<double>::infinity()}));
}

TEST(statistics, stddev_is_the_root_of_the_variance) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return stddev(x[0], 0, {.ddof = 2}); }, {four}),
            Tensor::scalar(std::sqrt(7.0)));
}

TEST(statistics, average_weighs_elements_or_those_of_a_dim) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return average(x[0], 0, {.weights = x[1]}); },
                        {four, row({1, 0, 0, 3})}),
            Tensor::scalar(4.75));
  const Tensor matrix(Shape{2, 2}, std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(computed_by([](const Arrays& x) { return average(x[0], 0, {.weights = x[1]}); },
                        {matrix, row({1, 3})}),
            row({2.5, 3.5}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return average(x[0], 1, {.keepdims = true}); }, {matrix}),
            Tensor(Shape{2, 1}, std::vector<double>{1.5, 3.5}));
}

TEST(statistics, average_refuses_weights_of_another_shape) {
  EXPECT_EQ(
      refusal_of_trace({logits, Type(DType::f32, {3})},
                       [](const Arrays& x) { return average(x[0], 0, {.weights = x[1]}); }),
      "T005: average: weights f32[3] do not fit f32[8,10]; they have its shape, or are one number for each "
      "element of the one dim that is folded");
}

TEST(statistics, nanmean_leaves_nans_out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor matrix(Shape{2, 2}, std::vector<double>{1, nan, nan, nan});
  const Tensor found = computed_by([](const Arrays& x) { return nanmean(x[0], 1); }, {matrix});
  EXPECT_EQ(found.at(0), 1);
  EXPECT_TRUE(std::isnan(found.at(1)));
}

}  // namespace
}  // namespace tutti
