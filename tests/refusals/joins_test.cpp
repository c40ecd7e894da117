// SPDX-License-Identifier: Apache-2.0
// Joins, padding, orders and bounds that an array does not have, at the line that asks for them.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array square_of(const Array& x) { return reshape(x, {2, 2}); }
Array whole(const Array& x) { return convert(x, DType::i32); }
Array terms(const Array& x) { return pcast(x, "data", unreduced); }

// --- Joins and padding -------------------------------------------------------------------------------------

TEST(concatenate, has_arrays) {
  expect_refused(traced([](Array) {
                   return concatenate({}, 0);  // refused
                 }),
                 "T005 {file}:{line}: concatenate: no arrays; give one at least (concatenate_c3)");
}

TEST(concatenate, joins_along_a_dim_that_is_there) {
  expect_refused(traced([](Array x) {
                   return concatenate({x, x}, 1);  // refused
                 }),
                 "T006 {file}:{line}: concatenate: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(concatenate, joins_arrays_of_one_rank) {
  expect_refused(traced([](Array x) {
                   return concatenate({x, square_of(x)}, 0);  // refused
                 }),
                 "T005 {file}:{line}: concatenate: f32[4] and f32[2,2] have 1 and 2 dims; they must be as "
                 "many (concatenate_c2): reshape one");
}

TEST(concatenate, joins_arrays_of_one_dtype) {
  expect_refused(traced([](Array x) {
                   return concatenate({x, whole(x)}, 0);  // refused
                 }),
                 "T007 {file}:{line}: concatenate: f32[4] and i32[4] have different dtypes; convert one of "
                 "them: convert(x, DType::f32)");
}

TEST(concatenate, joins_terms_with_terms) {
  expect_refused(
      on_devices([](Array x) {
        return concatenate({terms(x), ones_like(x)}, 0);  // refused
      }),
      "T004 {file}:{line}: concatenate: the left operand is an unreduced sum over 'data' (f32[2]{U:data}), "
      "the right operand is equal on all devices along 'data' (f32[2]); the equal part would be counted 4 "
      "times. Reduce first: psum(left, \"data\"), or keep it on one device: mask(right, \"data\")");
}

TEST(concatenate, names_the_operand_that_is_a_sum) {
  expect_refused(
      on_devices([](Array x) {
        return concatenate({x, x, terms(x)}, 0);  // refused
      }),
      "T004 {file}:{line}: concatenate: operand 2 is an unreduced sum over 'data' (f32[2]{U:data}), operand "
      "0 is different on each device along 'data' (f32[2]{V:data}). Reduce first: psum(operand 2, \"data\"), "
      "or take the other for terms too: pcast(operand 0, \"data\", unreduced)");
}

TEST(stack, joins_arrays_of_one_shape) {
  expect_refused(traced([](Array x) {
                   return stack({x, square_of(x)});  // refused
                 }),
                 "T005 {file}:{line}: stack: f32[4] and f32[2,2] have different shapes; all must be equal");
}

TEST(stack, has_a_dim_that_the_result_has) {
  expect_refused(traced([](Array x) {
                   return stack({x, x}, 2);  // refused
                 }),
                 "T006 {file}:{line}: stack: dim 2 is out of range for f32[4] with one dim more, which has "
                 "dims -2 to 1");
}

TEST(pad, has_an_entry_per_dim) {
  expect_refused(traced([](Array x) {
                   return pad(square_of(x), 0, {{1, 1}});  // refused
                 }),
                 "T006 {file}:{line}: pad: [1] has 1 entry, f32[2,2] has 2 dims; give low, high and "
                 "interior for each (pad_c2)");
}

TEST(pad, has_nothing_negative_between) {
  expect_refused(traced([](Array x) {
                   return pad(x, 0, {{0, 0, -1}});  // refused
                 }),
                 "T005 {file}:{line}: pad: interior -1 in dim 0; it is at least 0 (pad_c3). To leave "
                 "elements out: slice_in_dim");
}

TEST(pad, takes_away_what_is_there) {
  expect_refused(traced([](Array x) {
                   return pad(x, 0, {{-3, -2}});  // refused
                 }),
                 "T005 {file}:{line}: pad: low -3 and high -2 leave -1 elements in dim 0 of f32[4]; take "
                 "away less (pad_c4)");
}

TEST(pad, has_a_limit) {
  expect_refused(
      traced([](Array x) {
        constexpr std::int64_t large = std::int64_t{1} << 62;
        return pad(x, 0, {{large, large}});  // refused
      }),
      "T005 {file}:{line}: pad: low 4611686018427387904, high 4611686018427387904 and interior 0 in dim 0 "
      "are beyond 2^58; make them smaller");
}

TEST(pad, is_by_a_scalar) {
  expect_refused(
      traced([](Array x) {
        return pad(x, x, {{1, 1}});  // refused
      }),
      "T005 {file}:{line}: pad: the padding is f32[4], not a scalar; the same value goes everywhere");
}

TEST(pad, is_by_a_value_of_the_arrays_dtype) {
  expect_refused(traced([](Array x) {
                   return pad(x, whole(reduce_sum(x)), {{1, 1}});  // refused
                 }),
                 "T007 {file}:{line}: pad: f32[4] and i32[] have different dtypes; convert one of them: "
                 "convert(x, DType::f32)");
}

TEST(pad, of_integers_is_by_a_whole_number) {
  expect_refused(traced([](Array x) {
                   return pad(whole(x), 0.5, {{1, 1}});  // refused
                 }),
                 "T008 {file}:{line}: pad: the number 0.5 does not fit i32; write a whole number without a "
                 "point, or convert to a float dtype");
}

TEST(pad, of_terms_is_by_a_term) {
  expect_refused(
      on_devices([](Array x) {
        return pad(terms(x), 1, {{1, 1}});  // refused
      }),
      "T004 {file}:{line}: pad: the left operand is an unreduced sum over 'data' (f32[2]{U:data}), the right "
      "operand is equal on all devices along 'data' (f32[]); the equal part would be counted 4 times. Reduce "
      "first: psum(left, \"data\"), or keep it on one device: mask(right, \"data\")");
}

// --- Orders, bounds, bits ----------------------------------------------------------------------------------

TEST(cumsum, is_along_a_dim_that_is_there) {
  expect_refused(traced([](Array x) {
                   return cumsum(x, 1);  // refused
                 }),
                 "T006 {file}:{line}: cumsum: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(cumsum, of_bools_is_refused) {
  expect_refused(traced([](Array x) {
                   return cumsum(x > 0);  // refused
                 }),
                 "T007 {file}:{line}: cumsum: bool[4] is bool, which has no sum (cumsum_c2); to count, "
                 "convert it first: convert(x, DType::i32)");
}

TEST(rev, turns_each_dim_once) {
  expect_refused(
      traced([](Array x) {
        return rev(square_of(x), {0, -2});  // refused
      }),
      "T006 {file}:{line}: rev: dim 0 of f32[2,2] is named twice; name each dim once (reverse_c2)");
}

TEST(rev, turns_dims_that_are_there) {
  expect_refused(traced([](Array x) {
                   return rev(x, 1);  // refused
                 }),
                 "T006 {file}:{line}: rev: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(sort, is_along_a_dim_that_is_there) {
  expect_refused(traced([](Array x) {
                   return sort(x, 1);  // refused
                 }),
                 "T006 {file}:{line}: sort: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(sort, has_a_key) {
  expect_refused(traced([](Array) {
                   return sort(Arrays{})[0];  // refused
                 }),
                 "T005 {file}:{line}: sort: nothing to sort; give a key at least (sort_c1)");
}

TEST(sort, carries_arrays_of_the_keys_shape) {
  expect_refused(
      traced([](Array x) {
        return sort(Arrays{x, square_of(x)}, 0)[0];  // refused
      }),
      "T005 {file}:{line}: sort: f32[2,2] is carried along with f32[4], which has another shape (sort_c2)");
}

TEST(sort, of_terms_is_refused) {
  expect_refused(on_devices([](Array x) {
                   return sort(terms(x));  // refused
                 }),
                 "T004 {file}:{line}: sort: the operand is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(argsort, is_along_a_dim_that_is_there) {
  expect_refused(traced([](Array x) {
                   return argsort(x, 2);  // refused
                 }),
                 "T006 {file}:{line}: argsort: dim 2 is out of range for f32[4], which has dims -1 to 0");
}

TEST(argmax, is_of_something) {
  expect_refused(
      traced([](Array) {
        return argmax(zeros({2, 0}, DType::f32), 1);  // refused
      }),
      "T005 {file}:{line}: argmax: dim 1 of f32[2,0] has no elements, so none is the largest (argmax_c2)");
}

TEST(argmin, is_an_integer) {
  expect_refused(traced([](Array x) {
                   return argmin(x, 0, DType::f32);  // refused
                 }),
                 "T007 {file}:{line}: argmin: indices of f32; they are i32 or i64 (argmax_c3)");
}

TEST(argmax, is_along_a_dim_that_is_there) {
  expect_refused(traced([](Array x) {
                   return argmax(reduce_sum(x));  // refused
                 }),
                 "T006 {file}:{line}: argmax: dim 0 is out of range for f32[], which has no dims");
}

TEST(argmax, of_terms_is_refused) {
  expect_refused(on_devices([](Array x) {
                   return argmax(terms(x));  // refused
                 }),
                 "T004 {file}:{line}: argmax: the operand is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(clamp, has_bounds_that_broadcast_to_the_array) {
  expect_refused(traced([](Array x) {
                   return clamp(zeros({3}, DType::f32), x, 1);  // refused
                 }),
                 "T005 {file}:{line}: clamp: dim 0 of f32[3] has size 3 and becomes dim 0 of [4], of size 4; "
                 "sizes must be equal, or the operand's 1 (broadcast_in_dim_c5)");
}

TEST(clamp, has_bounds_that_do_not_make_the_array_larger) {
  expect_refused(
      traced([](Array x) {
        return clamp(0, reduce_sum(x), x);  // refused
      }),
      "T005 {file}:{line}: clamp: the bound is f32[4], the array f32[]; the array stands between its bounds: "
      "clamp(low, x, high)");
}

TEST(clamp, has_bounds_of_the_arrays_dtype) {
  expect_refused(traced([](Array x) {
                   return clamp(whole(x), x, 1);  // refused
                 }),
                 "T007 {file}:{line}: clamp: f32[4] and i32[4] have different dtypes; convert one of them: "
                 "convert(x, DType::f32)");
}

TEST(clamp, is_not_of_bools) {
  expect_refused(traced([](Array x) {
                   return clamp(false, x > 0, true);  // refused
                 }),
                 "T007 {file}:{line}: clamp: bool[4] is bool, which has nothing between its bounds; use "
                 "logical_and and logical_or");
}

TEST(clamp, of_terms_is_refused) {
  expect_refused(on_devices([](Array x) {
                   return clamp(0, terms(x), 1);  // refused
                 }),
                 "T004 {file}:{line}: clamp: operand 1 is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(operand 1, \"data\")");
}

TEST(bitcast_convert, joins_as_many_elements_as_make_one) {
  expect_refused(traced([](Array x) {
                   return bitcast_convert(x, DType::f64);  // refused
                 }),
                 "T005 {file}:{line}: bitcast_convert: f32[4] does not end in a dim of 2 elements, which "
                 "make one f64 (bitcast_convert_c1); reshape it first");
}

TEST(bitcast_convert, is_not_of_bools) {
  expect_refused(traced([](Array x) {
                   return bitcast_convert(x > 0, DType::i32);  // refused
                 }),
                 "T007 {file}:{line}: bitcast_convert: from bool to i32: a bool is one bit, however it is "
                 "stored; convert it: convert(x, DType::i32)");
}

TEST(bitcast_convert, of_terms_is_refused) {
  expect_refused(on_devices([](Array x) {
                   return bitcast_convert(terms(x), DType::i32);  // refused
                 }),
                 "T004 {file}:{line}: bitcast_convert: the operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), which only linear functions take. Reduce first: psum(x, \"data\")");
}

}  // namespace
}  // namespace tutti
