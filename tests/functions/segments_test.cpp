// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/segments.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Tensor rows(Shape{4, 2}, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
template <class T>
Tensor numbers(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
std::string refusal_of_trace(const Types& types) {
  return refusal_of(
      [&] { trace(types, [&](const Arrays& x) { return Arrays{segment_sum(x[0], x[1], 3)}; }); });
}

TEST(segments, fold_rows_and_leave_out_numbers_out_of_range) {
  const Tensor of = numbers<std::int32_t>({2, 0, 2, 3});
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(computed_by([](const Arrays& x) { return segment_sum(x[0], x[1], 3); }, {rows, of}),
            Tensor(Shape{3, 2}, std::vector<double>{3, 4, 0, 0, 6, 8}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return segment_max(x[0], x[1], 3); }, {rows, of}),
            Tensor(Shape{3, 2}, std::vector<double>{3, 4, -infinity, -infinity, 5, 6}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return segment_min(x[0], x[1], 3); }, {rows, of}),
            Tensor(Shape{3, 2}, std::vector<double>{3, 4, infinity, infinity, 1, 2}));
  EXPECT_EQ(computed_by([](const Arrays& x) { return segment_sum(x[0], x[1], 1); },
                        {rows, numbers<std::int8_t>({-1, 0, 0, 1})}),
            Tensor(Shape{1, 2}, std::vector<double>{8, 10}));
}

TEST(segments, sum_terms_of_an_unreduced_sum) {
  const Axis a = example_mesh().axes()[0];
  const Type sum = Type(DType::f32, {4, 2}).with(a, unreduced);
  const Program program = trace({sum, Type(DType::i32, {4})}, [](const Arrays& x) {
                            return Arrays{segment_sum(x[0], x[1], 3)};
                          }).program;
  EXPECT_EQ(program.type(program.outputs[0]), sum.with(Shape{3, 2}));
}

TEST(segments, refuse_other_numbers) {
  const Type x(DType::f32, {4, 2});
  EXPECT_EQ(refusal_of_trace({x, Type(DType::i32, {3})}),
            "T005: segment_sum: segments i32[3] beside f32[4,2]; there is one number for each row");
  EXPECT_EQ(
      refusal_of_trace({x, Type(DType::f32, {4})}),
      "T007: segment_sum: segments f32[4] are not integers; convert them: convert(segments, DType::i32)");
}

}  // namespace
}  // namespace tutti
