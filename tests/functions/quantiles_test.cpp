// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/quantiles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/functions/folds/statistics.hpp"

namespace tutti {
namespace {

template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
double quantile_of(const std::vector<double>& values, double q, QuantileMethod method) {
  return computed_by([&](const Arrays& x) { return quantile(x[0], q, all_dims, {.method = method}); },
                     {row(values)})
      .at(0);
}
std::string refusal_of_trace(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return refusal_of([&] { trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }); });
}

TEST(quantile, lies_between_two_elements_by_its_method) {
  const std::vector<double> x{40, 10, 30, 20};
  using enum QuantileMethod;
  EXPECT_EQ(quantile_of(x, 0.25, linear), 17.5);
  EXPECT_EQ(quantile_of(x, 0.25, lower), 10);
  EXPECT_EQ(quantile_of(x, 0.25, higher), 20);
  EXPECT_EQ(quantile_of(x, 0.25, midpoint), 15);
  EXPECT_EQ(quantile_of(x, 0.25, nearest), 20);
  EXPECT_EQ(quantile_of(x, 0.5, nearest), 20);  // half-way: the smaller one
  EXPECT_EQ(quantile_of(x, 0, linear), 10);
  EXPECT_EQ(quantile_of(x, 1, linear), 40);
  EXPECT_EQ(quantile_of({7}, 0.3, linear), 7);
}

TEST(quantile, at_an_infinite_element_is_infinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = row<double>({1, infinity, infinity});
  EXPECT_EQ(computed_by([](const Arrays& a) { return median(a[0]); }, {x}).at(0), infinity);
  EXPECT_EQ(computed_by([](const Arrays& a) { return quantile(a[0], a[1]); }, {x, row<double>({0, 0.25, 1})}),
            row<double>({1, infinity, infinity}));
}

TEST(median, names_the_array_given_when_a_dim_is_named_twice) {
  EXPECT_EQ(refusal_of_trace({Type(DType::f32, {2, 2})},
                             [](const Arrays& x) { return median(x[0], {0, 0}); }),
            "T006: median: dim 0 of f32[2,2] is named twice; name each dim once (reduce_c5)");
}

TEST(quantile, of_a_list_has_it_as_its_first_dim) {
  const Tensor x(Shape{2, 3}, std::vector<double>{1, 2, 3, 60, 40, 20}), q = row<double>({0, 0.5, 0.75, 2});
  auto along = [](const Arrays& a) { return quantile(a[0], a[1], 1); };
  EXPECT_EQ(computed_by(along, {x, q}),
            Tensor(Shape{4, 2}, std::vector<double>{1, 20, 2, 40, 2.5, 50, 3, 60}));
  auto kept = [](const Arrays& a) { return quantile(a[0], a[1], 1, {.keepdims = true}); };
  EXPECT_EQ(computed_by(kept, {x, q}).shape(), (Shape{4, 2, 1}));
}

TEST(quantile, of_a_list_takes_either_element) {
  const Tensor x = row<double>({1, 2, 4}), q = row<double>({0.2, 0.8});
  auto of = [&](QuantileMethod method) {
    return computed_by([&](const Arrays& a) { return quantile(a[0], a[1], 0, {.method = method}); }, {x, q});
  };
  EXPECT_EQ(of(QuantileMethod::lower), row<double>({1, 2}));
  EXPECT_EQ(of(QuantileMethod::higher), row<double>({2, 4}));
  EXPECT_EQ(of(QuantileMethod::nearest), row<double>({1, 4}));
  EXPECT_EQ(of(QuantileMethod::midpoint), row<double>({1.5, 3}));
}

TEST(median, folds_several_dims_and_propagates_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x(Shape{2, 2, 2}, std::vector<double>{1, 5, 2, 6, 3, nan, 4, 8});
  const Tensor found = computed_by([](const Arrays& a) { return median(a[0], {0, 1}); }, {x});
  EXPECT_EQ(found.at(0), 2.5);
  EXPECT_TRUE(std::isnan(found.at(1)));
  EXPECT_EQ(computed_by([](const Arrays& a) { return median(a[0]); }, {row<std::int32_t>({3, 1, 2, 10})}),
            Tensor::scalar(2.5F));
}

TEST(median, of_nothing_is_nan_as_the_mean) {
  for (DType dtype : {DType::f64, DType::f16, DType::i32}) {
    const Tensor none(Shape{2, 0}, dtype);
    for (const Tensor& found : {computed_by([](const Arrays& a) { return median(a[0]); }, {none}),
                                computed_by([](const Arrays& a) { return median(a[0], 1); }, {none}),
                                computed_by([](const Arrays& a) { return quantile(a[0], 0.3, 1); }, {none})})
      for (std::int64_t i = 0; i < found.elements(); ++i) EXPECT_TRUE(std::isnan(found.at(i)));
  }
  const Tensor none(Shape{0, 2}, DType::f64), q = row<double>({0, 0.5, 2});
  const Tensor found = computed_by([](const Arrays& a) { return quantile(a[0], a[1], 0); }, {none, q});
  EXPECT_EQ(found.shape(), (Shape{3, 2}));
  for (std::int64_t i = 0; i < found.elements(); ++i) EXPECT_TRUE(std::isnan(found.at(i)));
}

TEST(median, of_nothing_differs_between_devices_as_its_operand_does) {
  const Type x = Type(DType::f32, {2, 0}).with(example_mesh().axes()[0], varying);
  auto along = [](const Arrays& a) { return Arrays{median(a[0], 1), mean(a[0], 1)}; };
  const Program program = trace({x}, along).program;
  EXPECT_EQ(program.type(program.outputs[0]), program.type(program.outputs[1]));
}

TEST(quantile, refuses_numbers_out_of_range_and_other_dtypes) {
  const Type x(DType::f32, {4});
  EXPECT_EQ(refusal_of_trace({x}, [](const Arrays& a) { return quantile(a[0], 1.5); }),
            "T008: quantile: q = 1.5; a quantile is from 0 to 1");
  EXPECT_EQ(refusal_of_trace({Type(DType::f32, {0})}, [](const Arrays& a) { return quantile(a[0], 1.5); }),
            "T008: quantile: q = 1.5; a quantile is from 0 to 1");
  EXPECT_EQ(refusal_of_trace({x, Type(DType::f64, {})}, [](const Arrays& a) { return quantile(a[0], a[1]); }),
            "T007: quantile: q is f64[] beside f32[4]; convert it: convert(q, DType::f32)");
  EXPECT_EQ(
      refusal_of_trace({x, Type(DType::f32, {1, 2})}, [](const Arrays& a) { return quantile(a[0], a[1]); }),
      "T005: quantile: q is f32[1,2]; a quantile is of a number, or of a list of them: reshape(q, {-1})");
  EXPECT_EQ(refusal_of_trace({Type(DType::complex64, {2})}, [](const Arrays& a) { return median(a[0]); }),
            "T007: median: complex64[2] is complex, which has no order; take its parts");
}

}  // namespace
}  // namespace tutti
