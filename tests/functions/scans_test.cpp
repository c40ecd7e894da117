// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/scans.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"

namespace tutti {
namespace {

template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Array added(const Array& a, const Array& b) { return a + b; }

TEST(associative_scan, adds_up_rows_of_every_length) {
  for (std::int64_t n = 0; n <= 9; ++n) {
    std::vector<std::int64_t> sums;
    for (std::int64_t i = 1; i <= n; ++i) sums.push_back(i * (i + 1) / 2);
    EXPECT_EQ(computed_by([](const Arrays& x) { return associative_scan(added, x[0]); },
                          {counted(DType::i64, {n})}),
              Tensor(Shape{n}, sums));
  }
}

TEST(associative_scan, goes_along_any_dim_both_ways) {
  EXPECT_EQ(
      computed_by([](const Arrays& x) { return associative_scan(added, x[0], {.dim = -1, .reverse = true}); },
                  {counted(DType::i32, {2, 3})}),
      Tensor(Shape{2, 3}, std::vector<std::int32_t>{6, 5, 3, 15, 11, 6}));
}

struct Affine {
  Array slope, offset;
};

// The recurrence y = slope y + offset, as pairs: the later one after the earlier one.
TEST(associative_scan, takes_trees) {
  auto after = [](const Affine& a, const Affine& b) {
    const Array scaled = b.slope * a.offset;
    return Affine{a.slope * b.slope, scaled + b.offset};
  };
  auto last = [&](const Arrays& x) { return associative_scan(after, Affine{x[0], x[1]}).offset; };
  EXPECT_EQ(computed_by(last, {row<double>({2, 3, 0.5, -1, 4}), row<double>({1, 2, 3, 4, 5})}),
            row<double>({1, 5, 5.5, -1.5, -1}));
}

TEST(associative_scan, combines_in_the_order_of_jax) {
  std::string orders;
  auto joined = [&](const Array& a, const Array& b) {
    orders += "[" + to_string(a.type()) + "]";
    return a + b;
  };
  trace({Type(DType::f32, {7})}, [&](const Arrays& x) { return Arrays{associative_scan(joined, x[0])}; });
  EXPECT_EQ(orders, "[f32[3]][f32[1]][f32[1]][f32[3]]");
}

TEST(associative_scan, refuses_leaves_of_different_lengths) {
  auto both = [](const Arrays& x) {
    auto add = [](const std::pair<Array, Array>& a, const std::pair<Array, Array>&) { return a; };
    return Arrays{associative_scan(add, std::pair{x[0], x[1]}).first};
  };
  EXPECT_EQ(
      refusal_of([&] { trace({Type(DType::f32, {3}), Type(DType::f32, {2})}, both); }),
      "T005: associative_scan: f32[3] and f32[2] have 3 and 2 slices along dim 0; leaves have equally many");
}

TEST(associative_scan, refuses_a_function_that_changes_the_type) {
  auto of = [](auto f) {
    return refusal_of([&] {
      trace({Type(DType::f32, {4})}, [&](const Arrays& x) { return Arrays{associative_scan(f, x[0])}; });
    });
  };
  EXPECT_EQ(of([](const Array& a, const Array&) { return reduce_sum(a); }),
            "T005: associative_scan: the function returns f32[] for f32[2]; it works slice by slice and "
            "keeps the shape");
  EXPECT_EQ(of([](const Array& a, const Array&) { return convert(a, DType::f64); }),
            "T007: associative_scan: the function returns f64[2] for f32[2]; it keeps the dtype: convert(.., "
            "DType::f32)");
}

TEST(associative_scan, leaves_the_lines_of_the_function_to_its_errors) {
  expect_refused(traced([](Array x) {
                   return associative_scan(
                       [](const Array& a, const Array& b) {
                         return a + convert(b, DType::f64);  // refused
                       },
                       x);
                 }),
                 "T007 {file}:{line}: add: f32[2] and f64[2] have different dtypes; convert one of them: "
                 "convert(x, DType::f64)");
}

TEST(associative_scan, refuses_a_dim_out_of_range) {
  expect_refused(
      traced([](Array x) {
        return associative_scan(added, x, {.dim = 1});  // refused
      }),
      "T006 {file}:{line}: associative_scan: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(logcumsumexp, is_cumlogsumexp) {
  EXPECT_EQ(program_text({Type(DType::f32, {3})}, [](const Arrays& x) { return logcumsumexp(x[0]); }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[3] = cumlogsumexp{dim=0, order=forward} %0\n"
            "  return %1\n}\n");
}

}  // namespace
}  // namespace tutti
