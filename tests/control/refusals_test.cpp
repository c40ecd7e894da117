// SPDX-License-Identifier: Apache-2.0
// Refusals of control flow: the line of the user, and the message.
#include "tests/support/refusal.hpp"

#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

Array here() { return axis_index("data") > 1; }
Array same(Array x) { return x; }
Array twice(Array x) { return 2 * x; }
constexpr int line_of_sum = __LINE__ + 1;
Array sum(Array x) { return psum(x, "data"); }
Array add_sum(Array x) { return x + sum(x); }
const std::string at_sum = "all_reduce at tests/control/refusals_test.cpp:" + std::to_string(line_of_sum);

TEST(cond, refuses_to_communicate_where_devices_go_different_ways) {
  expect_refused(
      on_devices([](Array x) {
        return cond(here(), sum, same, x);  // refused
      }),
      "T004 {file}:{line}: cond: the predicate is different on each device along 'data' "
      "(bool[]{V:data}), and " +
          at_sum +
          " communicates over it: devices that go another way would never come. Make it equal there, "
          "for example with pmax, or communicate outside");
}

TEST(cond, communicates_over_axes_along_which_devices_agree) {
  EXPECT_EQ(refusal(on_devices(
                [](Array x) { return cond(here(), [](Array y) { return psum(y, "model"); }, twice, x); })),
            "accepted");
}

TEST(cond, refuses_a_predicate_that_is_no_bool) {
  expect_refused(traced([](Array x) {
                   return cond(reduce_sum(x), same, twice, x);  // refused
                 }),
                 "T007 {file}:{line}: cond: the predicate is f32[], expected a bool scalar; compare it: "
                 "not_equal(x, 0)");
}

TEST(cond, refuses_results_of_different_shapes) {
  expect_refused(
      traced([](Array x) {
        Array p = reduce_sum(x) > 0;
        return cond(p, [](Array y) { return y; }, [](Array y) { return reduce_sum(y); }, x);  // refused
      }),
      "T005 {file}:{line}: cond: result 0 is f32[] in one branch and f32[4] in another; give them one "
      "shape");
}

TEST(cond, refuses_results_of_different_dtypes) {
  expect_refused(
      traced([](Array x) {
        Array p = reduce_sum(x) > 0;
        return cond(p, [](Array y) { return y; }, [](Array y) { return y > 0; }, x);  // refused
      }),
      "T007 {file}:{line}: cond: result 0 is bool[4] in one branch and f32[4] in another; convert one of "
      "them");
}

TEST(cond, refuses_a_sum_in_one_branch_and_a_value_in_the_other) {
  expect_refused(on_devices([](Array x) {
                   Array p = pmax(reduce_max(x), "data") > 0;
                   auto terms = [](Array y) { return pcast(y, "data", unreduced); };
                   return cond(p, terms, [](Array y) { return y; }, x);  // refused
                 }),
                 "T004 {file}:{line}: cond: result 0 is different on each device along 'data' in one "
                 "branch and an unreduced sum over 'data' in another (f32[2]{V:data}, f32[2]{U:data}). "
                 "Reduce the sum: psum(x, \"data\"), or return terms from both: pcast(x, \"data\", "
                 "unreduced)");
}

TEST(cond, refuses_terms_where_devices_go_different_ways) {
  expect_refused(on_devices([](Array x) {
                   Array terms = pcast(x, "data", unreduced);
                   return cond(here(), same, twice, terms);  // refused
                 }),
                 "T004 {file}:{line}: cond: operand 0 is an unreduced sum over 'data' (f32[2]{U:data}), and "
                 "the predicate is different on each device along 'data' (bool[]{V:data}): devices would go "
                 "different ways with terms of one sum. Reduce it first: psum(x, \"data\")");
}

TEST(cond, refuses_terms_of_outside_where_devices_go_different_ways) {
  expect_refused(
      on_devices([](Array x) {
        Array terms = pcast(x, "data", unreduced);
        auto both = [&](Array y) { return y + terms; };
        return cond(here(), both, [](Array y) { return 2 * y; }, x);  // refused
      }),
      "T004 {file}:{line}: cond: a value used inside is an unreduced sum over 'data' (f32[2]{U:data}), and "
      "the predicate is different on each device along 'data' (bool[]{V:data}): devices would go different "
      "ways with terms of one sum. Reduce it first: psum(x, \"data\")");
}

TEST(switch_, refuses_branches_of_different_structure) {
  using Many = std::vector<Array>;
  expect_refused(traced([](Array x) {
                   Array i = convert(reduce_sum(x), DType::i32);
                   auto one = [](Array y) { return Many{y}; };
                   auto two = [](Array y) { return Many{y, y}; };
                   return switch_(i, std::tuple{one, two}, x)[0];  // refused
                 }),
                 "T012 {file}:{line}: switch_: the trees differ: found 2 parts ([0], [1]), expected 1 part "
                 "([0]); return the same structure from every branch");
}

TEST(scan, refuses_a_carry_that_changes_its_shape) {
  expect_refused(
      traced([](Array x) {
        auto step = [](Array c, Array y) -> Pair { return {reduce_sum(c) + y, y}; };
        return scan(step, x, x).first;  // refused
      }),
      "T005 {file}:{line}: scan: carry 0 is f32[4] before a trip and f32[] after it; keep its shape");
}

TEST(scan, refuses_a_carry_that_changes_its_dtype) {
  expect_refused(
      traced([](Array x) {
        auto step = [](Array c, Array y) -> Pair { return {c > 0, y}; };
        return scan(step, x, x).first;  // refused
      }),
      "T007 {file}:{line}: scan: carry 0 is f32[4] before a trip and bool[4] after it; convert it");
}

TEST(scan, refuses_a_carry_that_becomes_a_sum) {
  expect_refused(on_devices([](Array x) {
                   Array start = zeros({}, DType::f32);
                   auto step = [](Array, Array y) -> Pair { return {pcast(y, "data", unreduced), y}; };
                   return scan(step, start, x).first;  // refused
                 }),
                 "T004 {file}:{line}: scan: carry 0 is equal on all devices along 'data' before a trip and "
                 "an unreduced sum over 'data' after it (f32[], f32[]{U:data}). Start with terms: mask(x, "
                 "\"data\"), or reduce in the loop: psum(x, \"data\")");
}

TEST(scan, refuses_xs_of_different_lengths) {
  expect_refused(
      traced([](Array x) {
        auto step = [](Array c, Pair) -> Pair { return {c, c}; };
        return scan(step, x, Pair{x, ones({3}, DType::f32)}).first;  // refused
      }),
      "T005 {file}:{line}: scan: f32[3] has 3 slices along dim 0, but the xs before have 4; all xs have "
      "one length");
}

TEST(scan, refuses_to_guess_its_length) {
  expect_refused(traced([](Array x) {
                   auto step = [](Array c, std::tuple<>) -> Pair { return {c, c}; };
                   return scan(step, x).first;  // refused
                 }),
                 "T005 {file}:{line}: scan: there are no xs; say how many trips with .length");
}

TEST(scan, names_the_line_inside_of_it) {
  expect_refused(traced([](Array x) {
                   auto step = [](Array c, Array y) -> Pair {
                     return {c + reduce_sum(ones({3}, DType::f64)) * y, y};  // refused
                   };
                   return scan(step, x, x).first;
                 }),
                 "T007 {file}:{line}: mul: f64[] and f32[] have different dtypes; convert one of them: "
                 "convert(x, DType::f64)");
}

TEST(while_loop, refuses_to_communicate_where_devices_leave_one_by_one) {
  expect_refused(
      on_devices([](Array x) {
        auto goes_on = [](Array y) { return reduce_sum(y) < 9; };
        return while_loop(goes_on, add_sum, x);  // refused
      }),
      "T004 {file}:{line}: while_loop: the test is different on each device along 'data' "
      "(bool[]{V:data}), and " +
          at_sum +
          " communicates over it: devices that go another way would never come. Make it equal there, "
          "for example with pmax, or communicate outside");
}

TEST(while_loop, refuses_a_test_that_is_no_bool_scalar) {
  expect_refused(
      traced([](Array x) {
        return while_loop([](Array y) { return y > 0; }, [](Array y) { return y - 1; }, x);  // refused
      }),
      "T007 {file}:{line}: while_loop: the test gives bool[4], expected a bool scalar; compare something");
}

TEST(fori_loop, refuses_a_fraction_for_a_bound) {
  expect_refused(
      traced([](Array x) {
        return fori_loop(0, 2.5, [](Array, Array y) { return y; }, x);  // refused
      }),
      "T008 {file}:{line}: fori_loop: a bound is no whole number; give whole numbers, or integer arrays");
}

}  // namespace
}  // namespace tutti
