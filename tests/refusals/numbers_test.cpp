// SPDX-License-Identifier: Apache-2.0
// Element types that do not fit, and numbers that an element type cannot hold.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array integers(const Array& x) { return convert(x, DType::i32); }
Array bools(const Array& x) { return x > 0; }

TEST(dtypes, that_differ_are_not_mixed) {
  expect_refused(traced([](Array x) {
                   return integers(x) * x;  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return bools(x) | integers(x);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return matmul(x, convert(x, DType::f64));  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return select(bools(x), x, bools(x));  // refused
                 }),
                 "?");
}

TEST(dtypes, that_a_function_does_not_take_are_refused) {
  expect_refused(traced([](Array x) {
                   return exp(integers(x));  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return -bools(x);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return bools(x) - bools(x);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return x & x;  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return reduce_sum(bools(x));  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return matmul(bools(x), bools(x));  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return one_hot(x, 3);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return cross_entropy(reshape(x, {2, 2}), zeros({2}, DType::f32));  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return softmax(integers(x));  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return select(x, x, x);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return iota(DType::boolean, {2}, 0);  // refused
                 }),
                 "?");
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(pcast(bools(x), "data", unreduced), "data");  // refused
                 }),
                 "?");
}

TEST(numbers, with_a_point_do_not_stand_beside_integers) {
  expect_refused(traced([](Array x) {
                   return integers(x) * 0.5;  // refused
                 }),
                 "?");
}

TEST(numbers, fit_the_integers_beside_them) {
  expect_refused(traced([](Array x) {
                   return integers(x) + 3'000'000'000;  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return -3'000'000'000 < integers(x);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return convert(x, DType::i64) + std::numeric_limits<std::uint64_t>::max();  // refused
                 }),
                 "?");
}

TEST(numbers, do_not_stand_beside_bools) {
  expect_refused(traced([](Array x) {
                   return bools(x) & 1;  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return equal(bools(x), 0.0);  // refused
                 }),
                 "?");
}

TEST(numbers, that_are_bools_do_not_stand_beside_others) {
  expect_refused(traced([](Array x) {
                   return x + true;  // refused
                 }),
                 "?");
}

TEST(numbers, alone_are_no_operands) {
  expect_refused(traced([](Array) {
                   return maximum(1, 2);  // refused
                 }),
                 "?");
  expect_refused(on_devices([](Array) {
                   return psum(1, "data");  // refused
                 }),
                 "?");
}

TEST(numbers, fit_the_dtype_that_is_asked_for) {
  expect_refused(traced([](Array) {
                   return full({2}, 0.5, DType::i32);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return full({2}, std::int64_t{1} << 40, DType::i32);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return full({2}, true, DType::f32);  // refused
                 }),
                 "?");
}

}  // namespace
}  // namespace tutti
