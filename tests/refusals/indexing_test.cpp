// SPDX-License-Identifier: Apache-2.0
// Slices and windows that an array does not have, at the line that asks for them.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array square_of(const Array& x) { return reshape(x, {2, 2}); }
Array whole(const Array& x) { return convert(x, DType::i32); }
Array first(const Array& x) { return whole(reduce_sum(x)); }
Array terms(const Array& x) { return pcast(x, "data", unreduced); }

// Rows of a matrix by number.
const GatherDims rows{.offset_dims = {Dim{1}},
                      .collapsed_slice_dims = {Dim{0}},
                      .start_index_map = {Dim{0}},
                      .index_vector_dim = Dim{1}};

// --- Slices ------------------------------------------------------------------------------------------------

TEST(slice_in_dim, lies_inside) {
  expect_refused(traced([](Array x) {
                   return slice_in_dim(x, 1, 5);  // refused
                 }),
                 "T005 {file}:{line}: slice_in_dim: elements 1 to 5 of dim 0 of f32[4]; start and limit lie "
                 "between 0 and 4, in this order (slice_c3)");
}

TEST(slice_in_dim, counts_from_the_end_no_further_than_the_start) {
  expect_refused(traced([](Array x) {
                   return slice_in_dim(x, -5, 4);  // refused
                 }),
                 "T005 {file}:{line}: slice_in_dim: start -5 counts from the end of dim 0 of f32[4], which "
                 "has 4 elements");
}

TEST(slice_in_dim, goes_forwards) {
  expect_refused(traced([](Array x) {
                   return slice_in_dim(x, 0, 4, -1);  // refused
                 }),
                 "T005 {file}:{line}: slice_in_dim: stride -1 in dim 0; a stride is at least 1 (slice_c4). "
                 "To go backwards: rev");
}

TEST(slice_in_dim, is_along_a_dim_that_is_there) {
  expect_refused(
      traced([](Array x) {
        return slice_in_dim(x, 0, 2, 1, 1);  // refused
      }),
      "T006 {file}:{line}: slice_in_dim: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(slice_in_dims, has_a_start_per_dim) {
  expect_refused(traced([](Array x) {
                   return slice_in_dims(square_of(x), {.start = {0}, .limit = {1}});  // refused
                 }),
                 "T006 {file}:{line}: slice_in_dims: [0] has 1 entry, f32[2,2] has 2 dims; give start, "
                 "limit and stride for each (slice_c2)");
}

TEST(index_in_dim, lies_inside) {
  expect_refused(
      traced([](Array x) {
        return index_in_dim(x, 4);  // refused
      }),
      "T005 {file}:{line}: index_in_dim: index 4 is out of range for dim 0 of f32[4], which has 4 elements");
}

// --- Windows -----------------------------------------------------------------------------------------------

TEST(dynamic_slice, has_a_start_per_dim) {
  expect_refused(traced([](Array x) {
                   return dynamic_slice(square_of(x), {first(x)}, {1, 1});  // refused
                 }),
                 "T006 {file}:{line}: dynamic_slice: 1 start for f32[2,2], which has 2 dims; give one for "
                 "each (dynamic_slice_c2)");
}

TEST(dynamic_slice, starts_at_integers) {
  expect_refused(traced([](Array x) {
                   return dynamic_slice(x, {reduce_sum(x)}, {2});  // refused
                 }),
                 "T007 {file}:{line}: dynamic_slice: the index is f32[], not an integer (dynamic_slice_c3); "
                 "convert it: convert(x, DType::i32)");
}

TEST(dynamic_slice, starts_at_integers_of_one_dtype) {
  expect_refused(traced([](Array x) {
                   Array wide = convert(first(x), DType::i64);
                   return dynamic_slice(square_of(x), {first(x), wide}, {1, 1});  // refused
                 }),
                 "T007 {file}:{line}: dynamic_slice: i32[] and i64[] have different dtypes; convert one of "
                 "them: convert(x, DType::i64)");
}

TEST(dynamic_slice, starts_at_scalars) {
  expect_refused(traced([](Array x) {
                   return dynamic_slice(x, {whole(x)}, {2});  // refused
                 }),
                 "T005 {file}:{line}: dynamic_slice: a start is i32[4], not a scalar (dynamic_slice_c3)");
}

TEST(dynamic_slice, starts_at_whole_numbers) {
  expect_refused(traced([](Array x) {
                   return dynamic_slice(x, {0.5}, {2});  // refused
                 }),
                 "T008 {file}:{line}: dynamic_slice: the number 0.5 does not fit i32; write a whole number "
                 "without a point, or convert to a float dtype");
}

TEST(dynamic_slice_in_dim, is_no_larger_than_the_array) {
  expect_refused(traced([](Array x) {
                   return dynamic_slice_in_dim(x, first(x), 5);  // refused
                 }),
                 "T005 {file}:{line}: dynamic_slice_in_dim: a window of 5 elements along dim 0 of f32[4], "
                 "which has 4; it cannot be larger (dynamic_slice_c4)");
}

TEST(dynamic_slice_in_dim, has_no_negative_size) {
  expect_refused(traced([](Array x) {
                   return dynamic_slice_in_dim(x, first(x), -1);  // refused
                 }),
                 "T005 {file}:{line}: dynamic_slice_in_dim: a window of -1 elements along dim 0 of f32[4]; a "
                 "size is 0 or more");
}

TEST(dynamic_index_in_dim, takes_from_what_is_there) {
  expect_refused(traced([](Array x) {
                   return dynamic_index_in_dim(zeros({0, 2}, DType::f32), first(x));  // refused
                 }),
                 "T005 {file}:{line}: dynamic_index_in_dim: a window of 1 element along dim 0 of f32[0,2], "
                 "which has 0; it cannot be larger (dynamic_slice_c4)");
}

TEST(dynamic_index_in_dim, is_along_a_dim_that_is_there) {
  expect_refused(
      traced([](Array x) {
        return dynamic_index_in_dim(x, first(x), -2);  // refused
      }),
      "T006 {file}:{line}: dynamic_index_in_dim: dim -2 is out of range for f32[4], which has dims -1 to 0");
}

TEST(dynamic_slice, is_not_started_by_terms) {
  expect_refused(
      on_devices([](Array x) {
        return dynamic_slice(ones_like(x), {terms(axis_index("data"))}, {1});  // refused
      }),
      "T004 {file}:{line}: dynamic_slice: the index is an unreduced sum over 'data' (i32[]{U:data}); one "
      "cannot look things up by its terms. Reduce first: psum(index, \"data\")");
}

TEST(dynamic_slice, of_terms_starts_where_all_devices_agree) {
  expect_refused(on_devices([](Array x) {
                   return dynamic_slice(terms(x), {axis_index("data")}, {1});  // refused
                 }),
                 "T004 {file}:{line}: dynamic_slice: the operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), the index is different on each device along 'data' (i32[]{V:data}): each "
                 "device would look up another term. Reduce first: psum(x, \"data\")");
}

TEST(dynamic_update_slice, has_the_rank_of_the_array) {
  expect_refused(traced([](Array x) {
                   return dynamic_update_slice(square_of(x), slice_in_dim(x, 0, 1), {0, 0});  // refused
                 }),
                 "T005 {file}:{line}: dynamic_update_slice: f32[2,2] has 2 dims, the update, f32[1], has 1; "
                 "they must be as many (dynamic_update_slice_c3)");
}

TEST(dynamic_update_slice, has_the_dtype_of_the_array) {
  expect_refused(traced([](Array x) {
                   return dynamic_update_slice(x, whole(x), {0});  // refused
                 }),
                 "T007 {file}:{line}: dynamic_update_slice: f32[4] and the update, i32[4], have different "
                 "dtypes (dynamic_update_slice_c2); convert one of them: convert(x, DType::f32)");
}

TEST(dynamic_update_slice_in_dim, fits_into_the_array) {
  expect_refused(traced([](Array x) {
                   return dynamic_update_slice_in_dim(slice_in_dim(x, 0, 2), x, 0);  // refused
                 }),
                 "T005 {file}:{line}: dynamic_update_slice_in_dim: an update of 4 elements along dim 0 of "
                 "f32[2], which has 2; it cannot be larger (dynamic_update_slice_c6)");
}

TEST(dynamic_update_slice, of_terms_is_of_terms) {
  expect_refused(on_devices([](Array x) {
                   return dynamic_update_slice(terms(x), ones_like(x), {0});  // refused
                 }),
                 "T004 {file}:{line}: dynamic_update_slice: the left operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), the right operand is equal on all devices along 'data' (f32[2]); the "
                 "equal part would be counted 4 times. Reduce first: psum(left, \"data\"), or keep it on one "
                 "device: mask(right, \"data\")");
}

// --- Gathers and scatters ----------------------------------------------------------------------------------

TEST(take, is_by_integers) {
  expect_refused(traced([](Array x) {
                   return take(x, x, 0);  // refused
                 }),
                 "T007 {file}:{line}: take: the index is f32[4], not an integer (gather_c2); convert it: "
                 "convert(x, DType::i32)");
}

TEST(take, is_along_a_dim_that_is_there) {
  expect_refused(traced([](Array x) {
                   return take(x, whole(x), 1);  // refused
                 }),
                 "T006 {file}:{line}: take: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

TEST(take, is_from_what_is_there) {
  expect_refused(traced([](Array x) {
                   return take(zeros({0, 2}, DType::f32), whole(x), 0);  // refused
                 }),
                 "T005 {file}:{line}: take: f32[0,2] has no elements to take (gather_c21)");
}

TEST(take, is_by_whole_numbers) {
  expect_refused(traced([](Array x) {
                   return take(x, 1.5, 0);  // refused
                 }),
                 "T008 {file}:{line}: take: the number 1.5 does not fit i32; write a whole number without a "
                 "point, or convert to a float dtype");
}

TEST(take, is_not_by_terms) {
  expect_refused(on_devices([](Array x) {
                   return take(ones_like(x), terms(axis_index("data")), 0);  // refused
                 }),
                 "T004 {file}:{line}: take: the index is an unreduced sum over 'data' (i32[]{U:data}); one "
                 "cannot look things up by its terms. Reduce first: psum(index, \"data\")");
}

TEST(take_along_axis, has_an_index_vector_per_row) {
  expect_refused(traced([](Array x) {
                   return take_along_axis(square_of(x), whole(x), 0);  // refused
                 }),
                 "T005 {file}:{line}: take_along_axis: f32[2,2] and its indices, i32[4], have 2 and 1 dims; "
                 "they must be as many: use take for fewer");
}

TEST(gather, has_a_window_size_per_dim) {
  expect_refused(
      traced([](Array x) {
        return gather(square_of(x), reshape(whole(x), {4, 1}), rows, {1});  // refused
      }),
      "T006 {file}:{line}: gather: sizes [1] for f32[2,2], which has 2 dims; give a window size for "
      "each (gather_c20)");
}

TEST(gather, has_windows_no_larger_than_the_array) {
  expect_refused(traced([](Array x) {
                   return gather(square_of(x), reshape(whole(x), {4, 1}), rows, {1, 3});  // refused
                 }),
                 "T005 {file}:{line}: gather: windows of 3 elements along dim 1 of f32[2,2], which has 2; "
                 "they cannot be larger (gather_c21)");
}

TEST(gather, has_one_element_along_collapsed_dims) {
  expect_refused(traced([](Array x) {
                   return gather(square_of(x), reshape(whole(x), {4, 1}), rows, {2, 2});  // refused
                 }),
                 "T005 {file}:{line}: gather: windows of 2 elements along dim 0 of f32[2,2], a collapsed "
                 "dim; they have one there (gather_c9)");
}

TEST(gather, names_a_dim_per_component_of_the_index) {
  expect_refused(traced([](Array x) {
                   return gather(square_of(x), reshape(whole(x), {2, 2}), rows, {1, 2});  // refused
                 }),
                 "T006 {file}:{line}: gather: index_map [0] names 1 dim, the index vectors of i32[2,2] have "
                 "2 components; name a dim for each (gather_c3)");
}

TEST(scatter, has_updates_like_its_windows) {
  expect_refused(traced([](Array x) {
                   Array updates = ones({3, 2}, DType::f32);
                   return scatter(square_of(x), reshape(whole(x), {4, 1}), updates, rows);  // refused
                 }),
                 "T005 {file}:{line}: scatter: the updates are f32[3,2], the windows of i32[4,1] have the "
                 "shape [4,2] (scatter_c4)");
}

TEST(scatter_add, has_updates_of_the_arrays_dtype) {
  expect_refused(traced([](Array x) {
                   Array updates = ones({4, 2}, DType::f64);
                   return scatter_add(square_of(x), reshape(whole(x), {4, 1}), updates, rows);  // refused
                 }),
                 "T007 {file}:{line}: scatter_add: f32[2,2] and f64[4,2] have different dtypes; convert one "
                 "of them: convert(x, DType::f64)");
}

TEST(scatter_add, has_no_sum_of_bools) {
  expect_refused(
      traced([](Array x) {
        Array updates = ones({4, 2}, DType::boolean);
        return scatter_add(square_of(x) > 0, reshape(whole(x), {4, 1}), updates, rows);  // refused
      }),
      "T007 {file}:{line}: scatter_add: bool[2,2] is bool, which has no sum; convert it to i32 first");
}

TEST(scatter, is_by_integers) {
  expect_refused(traced([](Array x) {
                   Array updates = ones({4, 2}, DType::f32);
                   return scatter(square_of(x), reshape(x, {4, 1}), updates, rows);  // refused
                 }),
                 "T007 {file}:{line}: scatter: the index is f32[4,1], not an integer (scatter_c22); convert "
                 "it: convert(x, DType::i32)");
}

TEST(scatter_add, to_terms_adds_terms) {
  expect_refused(
      on_devices([](Array x) {
        Array into = broadcast_to(terms(x), {4, 2}), updates = ones({4, 2}, DType::f32);
        return scatter_add(into, zeros({4, 1}, DType::i32), updates, rows);  // refused
      }),
      "T004 {file}:{line}: scatter_add: the left operand is an unreduced sum over 'data' (f32[4,2]{U:data}), "
      "the right operand is equal on all devices along 'data' (f32[4,2]); the equal part would be counted 4 "
      "times. Reduce first: psum(left, \"data\"), or keep it on one device: mask(right, \"data\")");
}

}  // namespace
}  // namespace tutti
