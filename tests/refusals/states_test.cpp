// SPDX-License-Identifier: Apache-2.0
// Sums that are not reduced where only the whole sum will do, and values that differ where they must be equal.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array terms(const Array& x) { return pcast(x, "data", unreduced); }
Array equal_ones(const Array& x) { return ones_like(x); }
Array with_partial_gradient(const Array& x) { return pcast(ones_like(x), "data", reduced); }

TEST(sums, beside_an_equal_value_name_both_ways_out) {
  expect_refused(on_devices([](Array x) {
                   return terms(x) + equal_ones(x);  // refused
                 }),
                 "?");
}

TEST(sums, beside_a_number_are_refused_like_beside_an_equal_value) {
  expect_refused(on_devices([](Array x) {
                   return 1.0f - terms(x);  // refused
                 }),
                 "?");
}

TEST(sums, beside_a_varying_value_name_both_ways_out) {
  expect_refused(on_devices([](Array x) {
                   return terms(x) + x;  // refused
                 }),
                 "?");
}

TEST(sums, beside_a_reduced_value_are_refused_in_an_addition) {
  expect_refused(on_devices([](Array x) {
                   return with_partial_gradient(x) + terms(x);  // refused
                 }),
                 "?");
}

TEST(sums, are_refused_by_functions_that_are_not_linear) {
  expect_refused(on_devices([](Array x) {
                   return exp(terms(x));  // refused
                 }),
                 "?");
}

TEST(sums, are_refused_by_maximum) {
  expect_refused(on_devices([](Array x) {
                   return maximum(x, terms(x));  // refused
                 }),
                 "?");
}

TEST(sums, are_refused_by_comparisons) {
  expect_refused(on_devices([](Array x) {
                   return terms(x) < 0;  // refused
                 }),
                 "?");
}

TEST(sums, are_refused_by_reductions_to_the_largest_element) {
  expect_refused(on_devices([](Array x) {
                   return reduce_max(terms(x));  // refused
                 }),
                 "?");
}

TEST(sums, times_a_sum_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return terms(x) * terms(x);  // refused
                 }),
                 "?");
}

TEST(sums, times_a_varying_value_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return matmul(x, terms(x));  // refused
                 }),
                 "?");
}

TEST(sums, in_a_denominator_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return 1 / terms(x);  // refused
                 }),
                 "?");
}

TEST(sums, converted_to_integers_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return convert(terms(x), DType::i32);  // refused
                 }),
                 "?");
}

TEST(sums, inside_a_composite_are_refused_in_its_name) {
  expect_refused(on_devices([](Array x) {
                   return softmax(terms(x));  // refused
                 }),
                 "?");
}

TEST(sums, as_a_predicate_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return select(pcast(x > 0, "data", unreduced), x, 0);  // refused
                 }),
                 "?");
}

TEST(sums, are_not_chosen_by_a_varying_predicate) {
  expect_refused(on_devices([](Array x) {
                   return select(x > 0, terms(x), terms(x));  // refused
                 }),
                 "?");
}

TEST(sums, beside_zero_in_a_select_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return where(equal_ones(x) > 0, terms(x), 0);  // refused
                 }),
                 "?");
}

TEST(sums, have_no_maximum_over_devices) {
  expect_refused(on_devices([](Array x) {
                   return pmax(terms(x), "data");  // refused
                 }),
                 "?");
}

TEST(sums, have_no_maximum_over_other_axes_either) {
  expect_refused(on_devices([](Array x) {
                   return pmax(terms(x), "model");  // refused
                 }),
                 "?");
}

TEST(sums, are_not_gathered) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(terms(x), "data");  // refused
                 }),
                 "?");
}

TEST(sums, are_not_broadcast_from_one_device) {
  expect_refused(on_devices([](Array x) {
                   return pbroadcast(terms(x), "data");  // refused
                 }),
                 "?");
}

TEST(sums, are_not_masked_again) {
  expect_refused(on_devices([](Array x) {
                   return mask(terms(x), "data");  // refused
                 }),
                 "?");
}

TEST(varying_values, are_not_masked) {
  expect_refused(on_devices([](Array x) {
                   return mask(x, "data");  // refused
                 }),
                 "?");
}

TEST(varying_values, are_not_kept_on_one_device_as_if_they_were_equal) {
  expect_refused(on_devices([](Array x) {
                   return keep_on_one(x, "data");  // refused
                 }),
                 "?");
}

TEST(gathered_values, are_no_sums) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.to = unreduced});  // refused
                 }),
                 "?");
}

TEST(casts, from_a_sum_to_varying_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(terms(x), "data", varying);  // refused
                 }),
                 "?");
}

TEST(casts, from_varying_to_invariant_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(x, "data", invariant);  // refused
                 }),
                 "?");
}

TEST(casts, from_varying_to_reduced_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(x, "data", reduced);  // refused
                 }),
                 "?");
}

TEST(casts, from_invariant_to_a_sum_are_not_free) {
  expect_refused(on_devices([](Array x) {
                   return pcast(equal_ones(x), "data", unreduced);  // refused
                 }),
                 "?");
}

}  // namespace
}  // namespace tutti
