// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/reductions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ir/index.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"

namespace tutti {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Tensor matrix() { return Tensor(Shape{2, 3}, std::vector<double>{1, -2, 3, 4, 0, -6}); }
std::string refusal_of_trace(const Type& type, const std::function<Array(const Array&)>& function) {
  return refusal_of([&] { trace({type}, [&](const Arrays& x) { return Arrays{function(x[0])}; }); });
}
Tensor of(const Tensor& x, const std::function<Array(const Array&)>& function) {
  return computed_by([&](const Arrays& given) { return function(given[0]); }, {x});
}

TEST(sum, folds_the_dims_that_are_named) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return sum(x); }), Tensor::scalar(0.0));
  EXPECT_EQ(of(matrix(), [](const Array& x) { return sum(x, -1); }), row<double>({2, -2}));
  EXPECT_EQ(of(matrix(), [](const Array& x) { return sum(x, 0, {.keepdims = true}); }),
            Tensor(Shape{1, 3}, std::vector<double>{5, -2, -3}));
  EXPECT_EQ(of(matrix(), [](const Array& x) { return sum(x, all_dims, {.keepdims = true}); }),
            Tensor(Shape{1, 1}, std::vector<double>{0}));
}

TEST(sum, of_bools_counts_in_i32) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return sum(x > 0); }), Tensor::scalar(std::int32_t{3}));
}

TEST(sum, keeps_narrow_integers_unless_asked) {
  const Tensor x = row<std::int8_t>({100, 100});
  EXPECT_EQ(of(x, [](const Array& a) { return sum(a); }), Tensor::scalar(std::int8_t{-56}));
  EXPECT_EQ(of(x, [](const Array& a) { return sum(a, 0, {.dtype = DType::i32}); }),
            Tensor::scalar(std::int32_t{200}));
}

TEST(sum, counts_only_where_it_is_told) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return sum(x, 1, {.where = x > 0}); }), row<double>({4, 4}));
  EXPECT_EQ(of(matrix(), [](const Array& x) { return prod(x, 1, {.where = x > 0}); }), row<double>({3, 4}));
}

TEST(sum, where_it_is_told_passes_an_unreduced_sum) {
  const Axis a = example_mesh().axes()[0];
  const Type terms = Type(DType::f32, {2, 3}).with(a, unreduced);
  const Program program = trace({terms, Type(DType::boolean, {3})}, [](const Arrays& x) {
                            return Arrays{sum(x[0], 1, {.where = x[1]})};
                          }).program;
  EXPECT_EQ(program.type(program.outputs[0]), terms.with(Shape{2}));
}

TEST(any, names_the_array_given_when_a_dim_is_named_twice) {
  EXPECT_EQ(refusal_of_trace(Type(DType::f32, {2, 2}), [](const Array& x) { return any(x, {0, 0}); }),
            "T006: any: dim 0 of f32[2,2] is named twice; name each dim once (reduce_c5)");
}

TEST(sum, refuses_a_where_that_is_not_bool_or_does_not_broadcast) {
  const Type type(DType::f32, {2, 3});
  EXPECT_EQ(refusal_of_trace(type, [](const Array& x) { return sum(x, 0, {.where = x}); }),
            "T007: sum: where is f32[2,3], not bool; compare it: not_equal(where, 0)");
  EXPECT_EQ(refusal_of_trace(type, [](const Array& x) { return sum(sum(x, 1), 0, {.where = x > 0}); }),
            "T005: sum: shapes [2,3] and [2] do not broadcast: 3 and 2 in dim 1 from the end; sizes must be "
            "equal, or 1");
}

TEST(prod, multiplies) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return prod(x, 1); }), row<double>({-6, -0.0}));
  EXPECT_EQ(of(matrix(), [](const Array& x) { return prod(x > -7, 0); }), row<std::int32_t>({1, 1, 1}));
  EXPECT_EQ(of(Tensor({0, 2}, DType::f32), [](const Array& x) { return prod(x, 0); }), row<float>({1, 1}));
}

TEST(amax, propagates_nan_and_refuses_dims_without_elements) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return amax(x, 0); }), row<double>({4, 0, 3}));
  EXPECT_EQ(of(matrix(), [](const Array& x) { return amin(x, 1, {.keepdims = true}); }),
            Tensor(Shape{2, 1}, std::vector<double>{-2, -6}));
  EXPECT_TRUE(std::isnan(of(row<double>({1, nan}), [](const Array& x) { return amax(x); }).at(0)));
  EXPECT_EQ(refusal_of_trace(Type(DType::f32, {2, 0}), [](const Array& x) { return amax(x, 1); }),
            "T005: amax: dim 1 of f32[2,0] has no elements, so there is no amax; reduce_max gives the "
            "smallest value "
            "of the dtype");
}

TEST(ptp, is_the_largest_minus_the_smallest) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return ptp(x, 1); }), row<double>({5, 10}));
}

TEST(any, finds_an_element_that_is_not_0) {
  EXPECT_EQ(of(row<double>({0, -0.0}), [](const Array& x) { return any(x); }), Tensor::scalar(false));
  EXPECT_EQ(of(row<double>({0, nan}), [](const Array& x) { return any(x); }), Tensor::scalar(true));
  EXPECT_EQ(of(Tensor({0}, DType::boolean), [](const Array& x) { return any(x); }), Tensor::scalar(false));
}

TEST(all, keeps_dims_of_size_1) {
  EXPECT_EQ(of(row<double>({1, nan}), [](const Array& x) { return all(x, 0, {.keepdims = true}); }),
            Tensor(Shape{1}, std::vector<bool>{true}));
}

TEST(count_nonzero, counts_in_i32) {
  EXPECT_EQ(of(matrix(), [](const Array& x) { return count_nonzero(x, 0); }), row<std::int32_t>({2, 1, 2}));
}

TEST(nansum, leaves_nans_out) {
  EXPECT_EQ(of(row<double>({1, nan, 4}), [](const Array& x) { return nansum(x); }), Tensor::scalar(5.0));
  EXPECT_EQ(of(row<std::int32_t>({1, 4}), [](const Array& x) { return nansum(x); }),
            Tensor::scalar(std::int32_t{5}));
}

TEST(norm, has_the_orders_of_vectors) {
  const Tensor x = row<double>({3, -4, 0});
  auto norm_of = [&](std::optional<double> ord) {
    return of(x, [=](const Array& a) { return norm(a, 0, {.ord = ord}); }).at(0);
  };
  EXPECT_EQ(norm_of({}), 5);
  EXPECT_EQ(norm_of(2), 5);
  EXPECT_EQ(norm_of(1), 7);
  EXPECT_EQ(norm_of(0), 2);
  EXPECT_EQ(norm_of(infinity), 4);
  EXPECT_EQ(norm_of(-infinity), 0);
  EXPECT_NEAR(norm_of(3), std::cbrt(27.0 + 64), 1e-14);
}

TEST(norm, of_several_dims_is_that_of_frobenius) {
  EXPECT_EQ(of(Tensor(Shape{2, 2}, std::vector<std::int32_t>{1, 1, 3, 5}),
               [](const Array& x) { return norm(x, all_dims, {.keepdims = true}); }),
            Tensor(Shape{1, 1}, std::vector<float>{6}));
}

TEST(norm, refuses_orders_of_several_dims) {
  EXPECT_EQ(
      refusal_of_trace(Type(DType::f32, {2, 3}),
                       [](const Array& x) { return norm(x, all_dims, {.ord = 1}); }),
      "T010: norm: ord = 1 over 2 dims of f32[2,3]; here an order is that of vectors, so of one dim. Of "
      "matrices in the last two dims: matrix_norm(x, {.ord = ..})");
}

TEST(matrix_norm, is_of_the_last_two_dims) {
  const Tensor x(Shape{2, 2, 3}, std::vector<double>{1, -2, 3, -4, 5, -6, 0, 0, 0, 0, 0, 2});
  auto norms = [&](std::optional<double> ord) {
    return of(x, [=](const Array& a) { return matrix_norm(a, {.ord = ord}); });
  };
  auto pair = [](double a, double b) { return row<double>({a, b}); };
  EXPECT_EQ(norms({}), pair(std::sqrt(91.0), 2));
  EXPECT_EQ(norms(1), pair(9, 2));
  EXPECT_EQ(norms(-1), pair(5, 0));
  EXPECT_EQ(norms(infinity), pair(15, 2));
  EXPECT_EQ(norms(-infinity), pair(6, 0));
  EXPECT_EQ(of(x, [](const Array& a) { return matrix_norm(a, {.ord = 1, .keepdims = true}); }),
            Tensor(Shape{2, 1, 1}, std::vector<double>{9, 2}));
  EXPECT_EQ(of(Tensor(Shape{1, 2}, std::vector<std::int32_t>{3, -4}),
               [](const Array& a) { return matrix_norm(a, {.ord = infinity}); }),
            Tensor::scalar(7.F));
}

TEST(matrix_norm, keeps_dims_and_dtypes) {
  auto row_norm = [](const Array& a) { return matrix_norm(a, {.ord = infinity, .keepdims = true}); };
  EXPECT_EQ(of(Tensor(Shape{1, 2}, std::vector<std::complex<double>>{{3, 4}, {0, -2}}), row_norm),
            Tensor(Shape{1, 1}, std::vector<double>{7}));
  EXPECT_EQ(of(Tensor(Shape{1, 2}, std::vector<float>{3, -4}),
               [&](const Array& a) { return row_norm(convert(a, DType::f16)); })
                .dtype(),
            DType::f16);
  EXPECT_EQ(of(Tensor({0, 3}, DType::f32), [](const Array& a) { return matrix_norm(a, {.ord = 1}); }),
            Tensor::scalar(0.F));
}

TEST(matrix_norm, refuses_vectors_and_orders_that_matrices_do_not_have) {
  EXPECT_EQ(refusal_of_trace(Type(DType::f32, {3}), [](const Array& x) { return matrix_norm(x); }),
            "T006: matrix_norm: f32[3] has 1 dim; a matrix has two. Of a vector: norm(x, 0, ..)");
  const Type matrix_type(DType::f32, {2, 3});
  EXPECT_EQ(
      refusal_of_trace(matrix_type, [](const Array& x) { return matrix_norm(x, {.ord = 2}); }),
      "T010: matrix_norm: ord = 2; it is 1, -1, infinity or -infinity, or left out for the Frobenius norm. "
      "2 and -2 need singular values, which come later");
  EXPECT_EQ(refusal_of_trace(matrix_type, [](const Array& x) { return matrix_norm(x, {.ord = nan}); }),
            "T008: matrix_norm: ord is NaN; give 1, -1 or an infinity");
  EXPECT_EQ(
      refusal_of_trace(Type(DType::f32, {3, 0}), [](const Array& x) { return matrix_norm(x, {.ord = 1}); }),
      "T005: matrix_norm: f32[3,0] has no columns, whose sums this norm compares; leave .ord out for the "
      "Frobenius norm, which is 0");
}

}  // namespace
}  // namespace tutti
