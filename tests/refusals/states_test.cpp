// SPDX-License-Identifier: Apache-2.0
// Sums that are not reduced where only the whole sum will do, and values that differ where they must be
// equal.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array terms(const Array& x) { return pcast(x, "data", unreduced); }
Array equal_ones(const Array& x) { return ones_like(x); }
Array with_partial_gradient(const Array& x) { return pcast(ones_like(x), "data", reduced); }

TEST(sums, beside_an_equal_value_name_both_ways_out) {
  expect_refused(
      on_devices([](Array x) {
        return terms(x) + equal_ones(x);  // refused
      }),
      "T004 {file}:{line}: add: the left operand is an unreduced sum over 'data' (f32[2]{U:data}), the right "
      "operand is equal on all devices along 'data' (f32[2]); the equal part would be counted 4 times. "
      "Reduce first: psum(left, \"data\"), or keep it on one device: mask(right, \"data\")");
}

TEST(sums, beside_a_number_are_refused_like_beside_an_equal_value) {
  expect_refused(
      on_devices([](Array x) {
        return 1.0f - terms(x);  // refused
      }),
      "T004 {file}:{line}: sub: the right operand is an unreduced sum over 'data' (f32[2]{U:data}), the left "
      "operand is equal on all devices along 'data' (f32[2]); the equal part would be counted 4 times. "
      "Reduce first: psum(right, \"data\"), or keep it on one device: mask(left, \"data\")");
}

TEST(sums, beside_a_varying_value_name_both_ways_out) {
  expect_refused(
      on_devices([](Array x) {
        return terms(x) + x;  // refused
      }),
      "T004 {file}:{line}: add: the left operand is an unreduced sum over 'data' (f32[2]{U:data}), the right "
      "operand is different on each device along 'data' (f32[2]{V:data}). Reduce first: psum(left, "
      "\"data\"), or take the other for terms too: pcast(right, \"data\", unreduced)");
}

TEST(sums, beside_a_reduced_value_are_refused_in_an_addition) {
  expect_refused(on_devices([](Array x) {
                   return with_partial_gradient(x) + terms(x);  // refused
                 }),
                 "T004 {file}:{line}: add: the right operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), the left operand is equal on all devices, with a partial gradient along "
                 "'data' (f32[2]{R:data}); the equal part would be counted 4 times. Reduce first: "
                 "psum(right, \"data\"), or keep it on one device: mask(left, \"data\")");
}

TEST(sums, are_refused_by_functions_that_are_not_linear) {
  expect_refused(on_devices([](Array x) {
                   return exp(terms(x));  // refused
                 }),
                 "T004 {file}:{line}: exp: the operand is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(sums, are_refused_by_maximum) {
  expect_refused(on_devices([](Array x) {
                   return maximum(x, terms(x));  // refused
                 }),
                 "T004 {file}:{line}: maximum: the right operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), which only linear functions take. Reduce first: psum(right, \"data\")");
}

TEST(sums, are_refused_by_comparisons) {
  expect_refused(on_devices([](Array x) {
                   return terms(x) < 0;  // refused
                 }),
                 "T004 {file}:{line}: lt: the left operand is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(left, \"data\")");
}

TEST(sums, are_refused_by_reductions_to_the_largest_element) {
  expect_refused(on_devices([](Array x) {
                   return reduce_max(terms(x));  // refused
                 }),
                 "T004 {file}:{line}: reduce_max: the operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(sums, times_a_sum_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return terms(x) * terms(x);  // refused
                 }),
                 "T004 {file}:{line}: mul: the left operand is an unreduced sum over 'data' "
                 "(f32[2]{U:data}), the right operand is an unreduced sum over 'data' (f32[2]{U:data}); the "
                 "devices' results would not add up to the result. Reduce first: psum(left, \"data\")");
}

TEST(sums, times_a_varying_value_are_refused) {
  expect_refused(
      on_devices([](Array x) {
        return matmul(x, terms(x));  // refused
      }),
      "T004 {file}:{line}: matmul: the right operand is an unreduced sum over 'data' (f32[2]{U:data}), the "
      "left operand is different on each device along 'data' (f32[2]{V:data}); the devices' results would "
      "not add up to the result. Reduce first: psum(right, \"data\")");
}

TEST(sums, in_a_denominator_are_refused) {
  expect_refused(
      on_devices([](Array x) {
        return 1 / terms(x);  // refused
      }),
      "T004 {file}:{line}: div: the denominator is an unreduced sum over 'data' (f32[2]{U:data}); one over a "
      "sum is not the sum of one over its terms. Reduce first: psum(denominator, \"data\")");
}

TEST(sums, converted_to_integers_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return convert(terms(x), DType::i32);  // refused
                 }),
                 "T004 {file}:{line}: convert: the operand is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(sums, inside_a_composite_are_refused_in_its_name) {
  expect_refused(on_devices([](Array x) {
                   return softmax(terms(x));  // refused
                 }),
                 "T004 {file}:{line}: softmax: the operand is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(sums, as_a_predicate_are_refused) {
  expect_refused(
      on_devices([](Array x) {
        return select(pcast(x > 0, "data", unreduced), x, 0);  // refused
      }),
      "T007 {file}:{line}: pcast: bool[2]{V:data} is bool, which has no sum; convert it to i32 first");
}

TEST(sums, are_not_chosen_by_a_varying_predicate) {
  expect_refused(on_devices([](Array x) {
                   return select(x > 0, terms(x), terms(x));  // refused
                 }),
                 "T004 {file}:{line}: select: on_true is an unreduced sum over 'data' (f32[2]{U:data}), the "
                 "predicate is different on each device along 'data' (bool[2]{V:data}): each device would "
                 "choose among its own terms. Reduce first: psum(on_true, \"data\")");
}

TEST(sums, beside_zero_in_a_select_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return where(equal_ones(x) > 0, terms(x), 0);  // refused
                 }),
                 "T004 {file}:{line}: where: on_true is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "on_false is equal on all devices along 'data' (f32[2]): they are not terms of one sum. "
                 "Reduce first: psum(on_true, \"data\")");
}

TEST(sums, have_no_maximum_over_devices) {
  expect_refused(on_devices([](Array x) {
                   return pmax(terms(x), "data");  // refused
                 }),
                 "T004 {file}:{line}: pmax: f32[2]{U:data} is an unreduced sum over 'data'; a maximum or "
                 "minimum takes values, not terms; psum it first");
}

TEST(sums, have_no_maximum_over_other_axes_either) {
  expect_refused(on_devices([](Array x) {
                   return pmax(terms(x), "model");  // refused
                 }),
                 "T004 {file}:{line}: pmax: the operand is an unreduced sum over 'data' (f32[2]{U:data, "
                 "V:model}), which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(sums, are_not_gathered) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(terms(x), "data");  // refused
                 }),
                 "T004 {file}:{line}: all_gather: f32[2]{U:data} is an unreduced sum over 'data'; a gather "
                 "takes blocks, not terms; use psum or psum_scatter");
}

TEST(sums, are_not_broadcast_from_one_device) {
  expect_refused(on_devices([](Array x) {
                   return pbroadcast(terms(x), "data");  // refused
                 }),
                 "T004 {file}:{line}: pbroadcast: f32[2]{U:data} is an unreduced sum over 'data'; one "
                 "device's term is not the sum; use psum");
}

TEST(sums, are_not_masked_again) {
  expect_refused(on_devices([](Array x) {
                   return mask(terms(x), "data");  // refused
                 }),
                 "T004 {file}:{line}: mask: f32[2]{U:data} is an unreduced sum over 'data'; only what all "
                 "devices hold is kept on one; make it equal first, for example with psum");
}

TEST(varying_values, are_not_masked) {
  expect_refused(on_devices([](Array x) {
                   return mask(x, "data");  // refused
                 }),
                 "T004 {file}:{line}: mask: f32[2]{V:data} is different on each device along 'data'; only "
                 "what all devices hold is kept on one; make it equal first, for example with psum");
}

TEST(varying_values, are_not_kept_on_one_device_as_if_they_were_equal) {
  expect_refused(on_devices([](Array x) {
                   return keep_on_one(x, "data");  // refused
                 }),
                 "T004 {file}:{line}: keep_on_one: f32[2]{V:data} is different on each device along 'data'; "
                 "only what all devices hold is kept on one; make it equal first, for example with psum");
}

TEST(gathered_values, are_no_sums) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.to = unreduced});  // refused
                 }),
                 "T004 {file}:{line}: all_gather: a gathered value is not a partial sum; use .to = varying, "
                 "invariant or reduced");
}

TEST(casts, from_a_sum_to_varying_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(terms(x), "data", varying);  // refused
                 }),
                 "T004 {file}:{line}: pcast: f32[2]{U:data} is an unreduced sum; there is no free cast from "
                 "U to V: reduce it with psum or psum_scatter");
}

TEST(casts, from_varying_to_invariant_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(x, "data", invariant);  // refused
                 }),
                 "T004 {file}:{line}: pcast: f32[2]{V:data} is different on each device; there is no free "
                 "cast from V to I: make it equal with psum, pmax or pbroadcast");
}

TEST(casts, from_varying_to_reduced_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(x, "data", reduced);  // refused
                 }),
                 "T004 {file}:{line}: pcast: f32[2]{V:data} is different on each device; there is no free "
                 "cast from V to R: make it equal with psum, pmax or pbroadcast");
}

TEST(casts, from_invariant_to_a_sum_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(equal_ones(x), "data", unreduced);  // refused
                 }),
                 "T004 {file}:{line}: pcast: f32[2] is equal on all devices; there is no free cast from I to "
                 "U: keep it on one device with mask");
}

}  // namespace
}  // namespace tutti
