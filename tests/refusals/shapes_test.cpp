// SPDX-License-Identifier: Apache-2.0
// Dims that are out of range or named twice, sizes that do not fit or do not divide.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

TEST(shapes, that_do_not_broadcast_are_refused) {
  expect_refused(traced([](Array x) {
                   return x + ones({3, 2}, DType::f32);  // refused
                 }),
                 "T005 {file}:{line}: add: shapes [4] and [3,2] do not broadcast: 4 and 2 in dim 1 from the "
                 "end; sizes must be equal, or 1");
}

TEST(shapes, of_a_product_must_meet) {
  expect_refused(traced([](Array x) {
                   return matmul(reshape(x, {2, 2}), ones({3, 2}, DType::f32));  // refused
                 }),
                 "T005 {file}:{line}: matmul: the last dim of f32[2,2] has size 2, dim 0 of f32[3,2] has 3; "
                 "they must be equal");
}

TEST(shapes, of_a_product_have_a_dim) {
  expect_refused(traced([](Array x) {
                   return matmul(x, reduce_sum(x));  // refused
                 }),
                 "T005 {file}:{line}: matmul: f32[] is a scalar; multiply with *");
}

TEST(shapes, of_labels_fit_the_logits) {
  expect_refused(traced([](Array x) {
                   return cross_entropy(reshape(x, {2, 2}), zeros({3}, DType::i32));  // refused
                 }),
                 "T005 {file}:{line}: cross_entropy: labels i32[3] do not fit logits f32[2,2]; logits have "
                 "one more dim, the classes, as their last");
}

TEST(shapes, of_a_predicate_broadcast) {
  expect_refused(traced([](Array x) {
                   return select(ones({3}, DType::boolean), x, 0);  // refused
                 }),
                 "T005 {file}:{line}: select: shapes [3] and [4] do not broadcast: 3 and 4 in dim 1 from the "
                 "end; sizes must be equal, or 1");
}

TEST(shapes, keep_the_number_of_elements) {
  expect_refused(
      traced([](Array x) {
        return reshape(x, {3, 2});  // refused
      }),
      "T005 {file}:{line}: reshape: f32[4] has 4 elements, [3,2] has 6; both must be as many (reshape_c2)");
}

TEST(shapes, leave_one_size_open_at_most) {
  expect_refused(traced([](Array x) {
                   return reshape(x, {-1, -1});  // refused
                 }),
                 "T005 {file}:{line}: reshape: [-1,-1] has more than one -1; leave one size open at most");
}

TEST(shapes, have_no_negative_sizes) {
  expect_refused(traced([](Array) {
                   return zeros({2, -3}, DType::f32);  // refused
                 }),
                 "T005 {file}:{line}: zeros: shape [2,-3] has a negative size; sizes are 0 or more");
  expect_refused(traced([](Array) {
                   return iota({-3}, DType::i32, 0);  // refused
                 }),
                 "T005 {file}:{line}: iota: shape [-3] has a negative size; sizes are 0 or more");
  expect_refused(traced([](Array) {
                   return arange(-1, DType::i32);  // refused
                 }),
                 "T005 {file}:{line}: arange: -1 elements; a size is at least 0");
  expect_refused(traced([](Array x) {
                   return one_hot(convert(x, DType::i32), -1);  // refused
                 }),
                 "T005 {file}:{line}: one_hot: -1 classes; the number of classes is 0 or more");
  expect_refused(
      [] {
        abstract({-4}, DType::f32);  // refused
      },
      "T005 {file}:{line}: abstract: shape [-4] has a negative size; sizes are 0 or more");
}

TEST(shapes, have_a_number_of_elements_that_can_be_counted) {
  constexpr std::int64_t large = std::int64_t{1} << 40;
  expect_refused(traced([](Array) {
                   return zeros({large, large}, DType::f32);  // refused
                 }),
                 "T005 {file}:{line}: zeros: shape [1099511627776,1099511627776] has more than 2^58 "
                 "elements; make its sizes smaller");
  expect_refused(traced([](Array) {
                   return arange(large << 20, DType::i64);  // refused
                 }),
                 "T005 {file}:{line}: arange: shape [1152921504606846976] has more than 2^58 elements; make "
                 "its sizes smaller");
}

TEST(sizes, split_over_the_devices_of_an_in_spec) {
  auto split = [](Array x) {
    ShardMapOptions options{.mesh = Mesh({{"data", 3}}), .in = P("data"), .out = P("data")};
    return shard_map([](Array part) { return part; }, options)(x);  // refused
  };
  expect_refused(traced(split), "T005 {file}:{line}: shard_map: argument 0: dim 0 of f32[4] does not split "
                                "over the 3 devices of 'data'; pad it or use another dim");
}

TEST(sizes, split_over_the_devices_of_a_scattered_sum) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data", {.tiled = true});  // refused
                 }),
                 "T005 {file}:{line}: psum_scatter: dim 0 of f32[2]{U:data} does not split over the 4 "
                 "devices of 'data' (reduce_scatter_c1); pad it or use another dim");
}

TEST(sizes, of_a_scattered_dim_are_the_number_of_devices) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data");  // refused
                 }),
                 "T005 {file}:{line}: psum_scatter: dim 0 of f32[2]{U:data} has size 2, but 'data' has 4 "
                 "devices (reduce_scatter_c1); it must be as many, or with tiled = true a multiple");
}

TEST(dims, of_a_reduction_are_those_of_the_array) {
  expect_refused(traced([](Array x) {
                   return reduce_sum(x, 1);  // refused
                 }),
                 "T006 {file}:{line}: reduce_sum: dim 1 is out of range for f32[4], which has dims -1 to 0");
  expect_refused(traced([](Array x) {
                   return reduce_sum(reduce_sum(x), 0);  // refused
                 }),
                 "T006 {file}:{line}: reduce_sum: dim 0 is out of range for f32[], which has no dims");
}

TEST(dims, of_a_reduction_are_named_once) {
  expect_refused(
      traced([](Array x) {
        return reduce_max(x, {0, -1});  // refused
      }),
      "T006 {file}:{line}: reduce_max: dim 0 of f32[4] is named twice; name each dim once (reduce_c5)");
}

TEST(dims, of_composites_are_refused_in_their_name) {
  expect_refused(traced([](Array x) {
                   return softmax(x, 2);  // refused
                 }),
                 "T006 {file}:{line}: softmax: dim 2 is out of range for f32[4], which has dims -1 to 0");
  expect_refused(traced([](Array x) {
                   return mean(x, {0, 0});  // refused
                 }),
                 "T006 {file}:{line}: mean: dim 0 of f32[4] is named twice; name each dim once (reduce_c5)");
  expect_refused(traced([](Array x) {
                   return variance(x, -2);  // refused
                 }),
                 "T006 {file}:{line}: variance: dim -2 is out of range for f32[4], which has dims -1 to 0");
}

TEST(dims, of_a_transpose_are_named_once_each) {
  expect_refused(
      traced([](Array x) {
        return transpose(reshape(x, {2, 2}), {0, 0});  // refused
      }),
      "T006 {file}:{line}: transpose: dim 0 of f32[2,2] is named twice; name each dim once (transpose_c2)");
  expect_refused(traced([](Array x) {
                   return transpose(reshape(x, {2, 2}), {1, 2});  // refused
                 }),
                 "T006 {file}:{line}: transpose: dim 2 is out of range for f32[2,2], which has dims -2 to 1");
  expect_refused(traced([](Array x) {
                   return transpose(reshape(x, {2, 2}), {1});  // refused
                 }),
                 "T006 {file}:{line}: transpose: the permutation [1] names 1 dim, f32[2,2] has 2; name "
                 "every dim once (transpose_c2)");
}

TEST(dims, of_a_gather_are_those_of_the_result) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.dim = 2});  // refused
                 }),
                 "T006 {file}:{line}: all_gather: dim 2 is out of range for f32[2]{V:data} (all_gather_c1); "
                 "the result has dims 0 to 1");
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.dim = -3});  // refused
                 }),
                 "T006 {file}:{line}: all_gather: dim -3 is out of range for f32[2]{V:data} (all_gather_c1); "
                 "the result has dims 0 to 1");
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.dim = 1, .tiled = true});  // refused
                 }),
                 "T006 {file}:{line}: all_gather: dim 1 is out of range for f32[2]{V:data} (all_gather_c1); "
                 "the result has dims 0 to 0");
  expect_refused(on_devices([](Array x) {
                   return all_gather(reduce_sum(x), "data", {.tiled = true});  // refused
                 }),
                 "T006 {file}:{line}: all_gather: dim 0 is out of range for f32[]{V:data} (all_gather_c1); "
                 "the result has no dims to lie along, use tiled = false");
}

TEST(dims, of_a_scattered_sum_are_those_of_the_array) {
  expect_refused(
      on_devices([](Array x) {
        return psum_scatter(x, "data", {.dim = 1});  // refused
      }),
      "T006 {file}:{line}: psum_scatter: dim 1 is out of range for f32[2]{U:data}, which has dims -1 to 0");
}

TEST(dims, of_other_functions_are_in_range) {
  expect_refused(traced([](Array x) {
                   return expand_dims(x, 3);  // refused
                 }),
                 "T006 {file}:{line}: expand_dims: dim 3 is out of range for f32[4] with one dim more, which "
                 "has dims -2 to 1");
  expect_refused(traced([](Array) {
                   return iota({2, 3}, DType::i32, 2);  // refused
                 }),
                 "T006 {file}:{line}: iota: dim 2 is out of range for i32[2,3], which has dims -2 to 1");
  expect_refused(traced([](Array x) {
                   return broadcast_in_dim(x, {2, 4}, {2});  // refused
                 }),
                 "T006 {file}:{line}: broadcast_in_dim: dim 2 is out of range for the result [2,4], which "
                 "has dims -2 to 1");
  expect_refused(traced([](Array x) {
                   return broadcast_in_dim(x, {2, 4}, {0});  // refused
                 }),
                 "T005 {file}:{line}: broadcast_in_dim: dim 0 of f32[4] has size 4 and becomes dim 0 of "
                 "[2,4], of size 2; sizes must be equal, or the operand's 1 (broadcast_in_dim_c5)");
  expect_refused(traced([](Array x) {
                   return broadcast_to(x, {2});  // refused
                 }),
                 "T005 {file}:{line}: broadcast_to: dim 0 of f32[4] has size 4 and becomes dim 0 of [2], of "
                 "size 2; sizes must be equal, or the operand's 1 (broadcast_in_dim_c5)");
  expect_refused(traced([](Array x) {
                   return dot_general(x, x, {.lhs_contract = {1}, .rhs_contract = {0}});  // refused
                 }),
                 "T006 {file}:{line}: dot_general: dim 1 is out of range for f32[4], which has dims -1 to 0");
  expect_refused(traced([](Array x) {
                   return x * static_cast<double>(x.dim(-2));  // refused
                 }),
                 "T006 {file}:{line}: dim -2 is out of range for f32[4], which has dims -1 to 0");
}

}  // namespace
}  // namespace tutti
