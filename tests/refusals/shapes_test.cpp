// SPDX-License-Identifier: Apache-2.0
// Dims that are out of range or named twice, sizes that do not fit or do not divide.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

TEST(shapes, that_do_not_broadcast_are_refused) {
  expect_refused(traced([](Array x) {
                   return x + ones({3, 2}, DType::f32);  // refused
                 }),
                 "?");
}

TEST(shapes, of_a_product_must_meet) {
  expect_refused(traced([](Array x) {
                   return matmul(reshape(x, {2, 2}), ones({3, 2}, DType::f32));  // refused
                 }),
                 "?");
}

TEST(shapes, of_a_product_have_a_dim) {
  expect_refused(traced([](Array x) {
                   return matmul(x, reduce_sum(x));  // refused
                 }),
                 "?");
}

TEST(shapes, of_labels_fit_the_logits) {
  expect_refused(traced([](Array x) {
                   return cross_entropy(reshape(x, {2, 2}), zeros({3}, DType::i32));  // refused
                 }),
                 "?");
}

TEST(shapes, of_a_predicate_broadcast) {
  expect_refused(traced([](Array x) {
                   return select(ones({3}, DType::boolean), x, 0);  // refused
                 }),
                 "?");
}

TEST(shapes, keep_the_number_of_elements) {
  expect_refused(traced([](Array x) {
                   return reshape(x, {3, 2});  // refused
                 }),
                 "?");
}

TEST(shapes, leave_one_size_open_at_most) {
  expect_refused(traced([](Array x) {
                   return reshape(x, {-1, -1});  // refused
                 }),
                 "?");
}

TEST(shapes, have_no_negative_sizes) {
  expect_refused(traced([](Array) {
                   return zeros({2, -3}, DType::f32);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return iota(DType::i32, {-3}, 0);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return arange(-1, DType::i32);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return one_hot(convert(x, DType::i32), -1);  // refused
                 }),
                 "?");
  expect_refused(
      [] {
        abstract({-4}, DType::f32);  // refused
      },
      "?");
}

TEST(shapes, have_a_number_of_elements_that_can_be_counted) {
  constexpr std::int64_t large = std::int64_t{1} << 40;
  expect_refused(traced([](Array) {
                   return zeros({large, large}, DType::f32);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return arange(large, DType::i64);  // refused
                 }),
                 "?");
}

TEST(sizes, split_over_the_devices_of_an_in_spec) {
  auto split = [](Array x) {
    return shard_map([](Array part) { return part; },
                     {.mesh = Mesh({{"data", 3}}), .in = P("data"), .out = P("data")})(x);  // refused
  };
  expect_refused(traced(split), "?");
}

TEST(sizes, split_over_the_devices_of_a_scattered_sum) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data", {.tiled = true});  // refused
                 }),
                 "?");
}

TEST(sizes, of_a_scattered_dim_are_the_number_of_devices) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data");  // refused
                 }),
                 "?");
}

TEST(dims, of_a_reduction_are_those_of_the_array) {
  expect_refused(traced([](Array x) {
                   return reduce_sum(x, 1);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return reduce_sum(reduce_sum(x), 0);  // refused
                 }),
                 "?");
}

TEST(dims, of_a_reduction_are_named_once) {
  expect_refused(traced([](Array x) {
                   return reduce_max(x, {0, -1});  // refused
                 }),
                 "?");
}

TEST(dims, of_composites_are_refused_in_their_name) {
  expect_refused(traced([](Array x) {
                   return softmax(x, 2);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return mean(x, {0, 0});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return variance(x, -2);  // refused
                 }),
                 "?");
}

TEST(dims, of_a_transpose_are_named_once_each) {
  expect_refused(traced([](Array x) {
                   return transpose(reshape(x, {2, 2}), {0, 0});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return transpose(reshape(x, {2, 2}), {1, 2});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return transpose(reshape(x, {2, 2}), {1});  // refused
                 }),
                 "?");
}

TEST(dims, of_a_gather_are_those_of_the_result) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.dim = 2});  // refused
                 }),
                 "?");
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.dim = -3});  // refused
                 }),
                 "?");
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.dim = 1, .tiled = true});  // refused
                 }),
                 "?");
  expect_refused(on_devices([](Array x) {
                   return all_gather(reduce_sum(x), "data", {.tiled = true});  // refused
                 }),
                 "?");
}

TEST(dims, of_a_scattered_sum_are_those_of_the_array) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data", {.dim = 1});  // refused
                 }),
                 "?");
}

TEST(dims, of_other_functions_are_in_range) {
  expect_refused(traced([](Array x) {
                   return expand_dims(x, 3);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array) {
                   return iota(DType::i32, {2, 3}, 2);  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return broadcast_in_dim(x, {2, 4}, {Dim{2}});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return broadcast_in_dim(x, {2, 4}, {Dim{0}});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return broadcast_to(x, {2});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return dot_general(x, x, {.lhs_contract = {1}, .rhs_contract = {0}});  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   return x * static_cast<double>(x.dim(-2));  // refused
                 }),
                 "?");
}

}  // namespace
}  // namespace tutti
