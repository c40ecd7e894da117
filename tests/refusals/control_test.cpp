// SPDX-License-Identifier: Apache-2.0
// Control flow: who may communicate where devices go different ways, partial sums there, deciders, bounds.
// It does not repeat tests/control/refusals_test.cpp; trees, shapes and dtypes of carries are in
// carries_test.cpp.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

Array same(Array x) { return x; }
Array twice(Array x) { return 2 * x; }
Array here() { return axis_index("data") > 1; }
Array terms(const Array& x) { return pcast(x, "data", unreduced); }

// --- Communication -----------------------------------------------------------------------------------------

struct Collective {
  std::string_view op;
  std::function<Array(Array)> with;
};

// One a line, which shows where the message says that it stands.
const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all{
      // clang-format off
      {"all_reduce", [](Array x) { return psum(x, "data"); }},
      {"all_reduce", [](Array x) { return pmean(x, {"model", "data"}); }},
      {"all_reduce", [](Array x) { return pmax(x, "data"); }},
      {"all_reduce", [](Array x) { return pmin(x, "data", {.groups = {{0, 1}, {2, 3}}}); }},
      {"all_reduce", [](Array x) { return convert(pargmax(x, "data"), DType::f32); }},
      {"all_gather", [](Array x) { return reduce_sum(all_gather(x, "data"), 0); }},
      {"reduce_scatter", [](Array x) { return broadcast_to(psum_scatter(broadcast_to(x, {4, 2}), "data"), {2}); }},
      {"all_to_all", [](Array x) { return reduce_sum(all_to_all(broadcast_to(x, {4, 2}), "data"), 0); }},
      {"permute", [](Array x) { return ppermute(x, "data", {{0, 1}}); }},
      {"broadcast", [](Array x) { return pbroadcast(x, "data"); }},
      // clang-format on
  };
  return all;
}

TEST(cond, refuses_every_collective_where_devices_go_different_ways) {
  for (const Collective& collective : collectives()) {
    std::string said = refusal(on_devices([&](Array x) {
      return cond(here(), collective.with, same, x);  // refused
    }));
    std::string start =
        fmt::format("T004 {{file}}:{{line}}: cond: the predicate is different on each device "
                    "along 'data' (bool[]{{V:data}}), and {} at tests/refusals/control_test.cpp:",
                    collective.op);
    EXPECT_EQ(said.substr(0, start.size()), start);
  }
}

constexpr int line_of_sum = __LINE__ + 1;
Array sum(Array x) { return psum(x, "data"); }
constexpr int line_of_lane_sum = __LINE__ + 1;
Array lane_sum(Array x) { return psum(x, "lanes"); }
// The message about the sum at that line, for a decider that differs.
std::string waits(std::string_view decider, int line) {
  return fmt::format(
      "T004 {{file}}:{{line}}: {}, and all_reduce at tests/refusals/control_test.cpp:{} communicates "
      "over it: devices that go another way would never come. Make it equal there, for example with "
      "pmax, or communicate outside",
      decider, line);
}

TEST(switch_, refuses_to_communicate_where_devices_go_different_ways) {
  expect_refused(on_devices([](Array x) {
                   return switch_(axis_index("data"), std::tuple{&same, &twice, &sum}, x);  // refused
                 }),
                 waits("switch_: the index is different on each device along 'data' (i32[]{V:data})",
                       line_of_sum));
}

TEST(scan, in_a_branch_may_not_communicate_either) {
  expect_refused(on_devices([](Array x) {
                   auto loop = [](Array y) {
                     auto step = [](Array c, Array v) -> Pair { return {c + sum(v), c}; };
                     return scan(step, y, broadcast_to(y, {3, 2})).first;
                   };
                   return cond(here(), loop, same, x);  // refused
                 }),
                 waits("cond: the predicate is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

TEST(cond, in_a_scan_is_refused_at_its_own_line) {
  expect_refused(on_devices([](Array x) {
                   auto step = [](Array c, Array v) -> Pair {
                     return {cond(here(), sum, same, c + v), v};  // refused
                   };
                   return scan(step, x, broadcast_to(x, {3, 2})).first;
                 }),
                 waits("cond: the predicate is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

TEST(cond, in_a_cond_that_agrees_is_refused_at_its_own_line) {
  expect_refused(on_devices([](Array x) {
                   auto inner = [](Array y) {
                     return cond(here(), sum, same, y);  // refused
                   };
                   return cond(pmax(reduce_max(x), "data") > 0, inner, same, x);
                 }),
                 waits("cond: the predicate is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

TEST(cond, refuses_a_while_loop_that_communicates) {
  expect_refused(on_devices([](Array x) {
                   auto goes_on = [](Array y) { return reduce_sum(sum(y)) < 9; };
                   auto loop = [&](Array y) { return while_loop(goes_on, twice, y); };
                   return cond(here(), loop, same, x);  // refused
                 }),
                 waits("cond: the predicate is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

TEST(cond, refuses_to_communicate_over_lanes_that_go_different_ways) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) {
                     return cond(y > 0, lane_sum, same, y);  // refused
                   };
                   return vmap(lane, {.axis = "lanes"})(x);
                 }),
                 waits("cond: the predicate is different on each device along 'lanes' (bool[]{V:lanes})",
                       line_of_lane_sum));
}

TEST(while_loop, refuses_to_communicate_over_lanes_that_leave_one_by_one) {
  expect_refused(traced([](Array x) {
                   auto lane = [](Array y) {
                     auto trip = [](Array v) { return v + lane_sum(v); };
                     return while_loop([](Array v) { return v < 9; }, trip, y);  // refused
                   };
                   return vmap(lane, {.axis = "lanes"})(x);
                 }),
                 waits("while_loop: the test is different on each device along 'lanes' (bool[]{V:lanes})",
                       line_of_lane_sum));
}

TEST(while_loop, refuses_a_test_that_communicates_and_differs) {
  expect_refused(on_devices([](Array x) {
                   auto goes_on = [](Array y) { return reduce_sum(sum(y)) < reduce_sum(y); };
                   return while_loop(goes_on, twice, x);  // refused
                 }),
                 waits("while_loop: the test is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

TEST(fori_loop, refuses_to_communicate_where_its_bounds_differ) {
  expect_refused(
      on_devices([](Array x) {
        auto trip = [](Array, Array y) { return y + sum(y); };
        return fori_loop(0, axis_index("data"), trip, x);  // refused
      }),
      waits("fori_loop: the range of trips is different on each device along 'data' (bool[]{V:data})",
            line_of_sum));
}

TEST(remat, in_a_branch_may_not_communicate_either) {
  expect_refused(on_devices([](Array x) {
                   return cond(here(), remat(sum), same, x);  // refused
                 }),
                 waits("cond: the predicate is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

TEST(custom_vjp, in_a_branch_may_not_communicate_in_its_gradient_either) {
  expect_refused(on_devices([](Array x) {
                   auto forward = [](Array y) { return Pair{2 * y, y}; };
                   auto backward = [](Array, Array ct) { return std::tuple{sum(ct)}; };
                   auto loss = [&](Array y) {
                     return reduce_sum(
                         cond(here(), custom_vjp(twice, forward, backward), same, y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 waits("cond: the predicate is different on each device along 'data' (bool[]{V:data})",
                       line_of_sum));
}

// --- Partial sums ------------------------------------------------------------------------------------------

TEST(switch_, refuses_terms_where_devices_go_different_ways) {
  expect_refused(on_devices([](Array x) {
                   return switch_(axis_index("data"), std::tuple{&same, &twice}, terms(x));  // refused
                 }),
                 "T004 {file}:{line}: switch_: operand 0 is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "and the index is different on each device along 'data' (i32[]{V:data}): devices would go "
                 "different ways with terms of one sum. Reduce it first: psum(x, \"data\")");
}

TEST(switch_, refuses_an_index_of_terms) {
  expect_refused(on_devices([](Array x) {
                   return switch_(terms(axis_index("data")), std::tuple{&same, &twice}, x);  // refused
                 }),
                 "T004 {file}:{line}: switch_: the index is an unreduced sum over 'data' (i32[]{U:data}). "
                 "Reduce it first: psum(x, \"data\")");
}

TEST(cond, refuses_to_return_terms_where_devices_go_different_ways) {
  expect_refused(on_devices([](Array x) {
                   return cond(here(), terms, terms, x);  // refused
                 }),
                 "T004 {file}:{line}: cond: result 0 is an unreduced sum over 'data' (f32[2]{U:data}), and "
                 "devices take different branches along it. Return the terms varying, and say outside what "
                 "they are: pcast(result, \"data\", unreduced)");
}

TEST(while_loop, refuses_a_carry_of_terms_where_devices_leave_one_by_one) {
  expect_refused(on_devices([](Array x) {
                   auto goes_on = [](Pair p) { return p.first < 3; };
                   auto trip = [](Pair p) { return Pair{p.first + 1, 2 * p.second}; };
                   return while_loop(goes_on, trip, Pair{axis_index("data"), terms(x)}).second;  // refused
                 }),
                 "T004 {file}:{line}: while_loop: carry 1 is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "and the test is different on each device along 'data' (bool[]{V:data}): devices would go "
                 "different ways with terms of one sum. Reduce it first: psum(x, \"data\")");
}

TEST(while_loop, refuses_terms_of_outside_where_devices_leave_one_by_one) {
  expect_refused(on_devices([](Array x) {
                   Array outside = terms(reduce_sum(x));
                   auto goes_on = [](Pair p) { return p.first < 3; };
                   auto trip = [&](Pair p) { return Pair{p.first + 1, p.second + outside}; };
                   return while_loop(goes_on, trip, Pair{axis_index("data"), terms(x)}).second;  // refused
                 }),
                 "T004 {file}:{line}: while_loop: carry 1 is an unreduced sum over 'data' (f32[2]{U:data}), "
                 "and the test is different on each device along 'data' (bool[]{V:data}): devices would go "
                 "different ways with terms of one sum. Reduce it first: psum(x, \"data\")");
}

TEST(while_loop, refuses_a_carry_that_becomes_a_sum) {
  expect_refused(on_devices([](Array x) {
                   auto goes_on = [](Pair p) { return p.first < 3; };
                   auto trip = [&](Pair p) { return Pair{p.first + 1, terms(x)}; };
                   Pair start{zeros({}, DType::i32), zeros({2}, DType::f32)};
                   return while_loop(goes_on, trip, start).second;  // refused
                 }),
                 "T004 {file}:{line}: while_loop: carry 1 is equal on all devices along 'data' before a trip "
                 "and an unreduced sum over 'data' after it (f32[2], f32[2]{U:data}). Start with terms: "
                 "mask(x, \"data\"), or reduce in the loop: psum(x, \"data\")");
}

TEST(scan, refuses_a_carry_that_is_a_sum_no_more) {
  expect_refused(on_devices([](Array x) {
                   auto step = [&](Array, Array y) -> Pair { return {x, y}; };
                   return scan(step, terms(x), x).first;  // refused
                 }),
                 "T004 {file}:{line}: scan: carry 0 is an unreduced sum over 'data' before a trip and "
                 "different on each device along 'data' after it (f32[2]{U:data}, f32[2]{V:data}). Reduce "
                 "before the loop: psum(x, \"data\")");
}

TEST(fori_loop, refuses_a_carry_that_becomes_a_sum) {
  expect_refused(on_devices([](Array x) {
                   auto trip = [&](Array, Array y) { return terms(y); };
                   return fori_loop(0, 3, trip, x);  // refused
                 }),
                 "T004 {file}:{line}: fori_loop: carry 0 is different on each device along 'data' before a "
                 "trip and an unreduced sum over 'data' after it (f32[2]{V:data}, f32[2]{U:data}). Start "
                 "with terms: pcast(x, \"data\", unreduced), or reduce in the loop: psum(x, \"data\")");
}

TEST(cond, refuses_a_gradient_that_one_branch_would_reduce) {
  expect_refused(on_devices([](Array x) {
                   Array whole = ones_like(x);
                   auto other = [&](Array) { return whole; };
                   return cond(reduce_sum(whole) > 0, terms, other, x);  // refused
                 }),
                 "T004 {file}:{line}: cond: result 0 is equal on all devices along 'data' in one branch and "
                 "an unreduced sum over 'data' in another (f32[2], f32[2]{U:data}). Reduce the sum: psum(x, "
                 "\"data\"), or return terms from both: mask(x, \"data\")");
}

// --- Deciders ----------------------------------------------------------------------------------------------

TEST(cond, refuses_an_integer_as_predicate) {
  expect_refused(on_devices([](Array x) {
                   return cond(axis_index("model"), same, twice, x);  // refused
                 }),
                 "T007 {file}:{line}: cond: the predicate is i32[]{V:model}, expected a bool scalar; compare "
                 "it: not_equal(x, 0)");
}

TEST(cond, refuses_a_predicate_per_element) {
  expect_refused(traced([](Array x) {
                   return cond(x > 0, same, twice, x);  // refused
                 }),
                 "T007 {file}:{line}: cond: the predicate is bool[4], expected a bool scalar; for one per "
                 "element use where");
}

TEST(cond, refuses_a_number_as_predicate) {
  expect_refused(traced([](Array x) {
                   return cond(x.rank() > 0, same, twice, x);  // refused
                 }),
                 "T008 {file}:{line}: cond: the predicate is a number of C++, so the branch is known while "
                 "tracing; choose it with if");
}

TEST(switch_, refuses_a_float_as_index) {
  expect_refused(traced([](Array x) {
                   return switch_(reduce_sum(x), std::tuple{&same, &twice}, x);  // refused
                 }),
                 "T007 {file}:{line}: switch_: the index is f32[], expected an i32 scalar; convert it: "
                 "convert(x, DType::i32)");
}

TEST(switch_, refuses_a_long_index) {
  expect_refused(traced([](Array x) {
                   Array index = convert(reduce_sum(x), DType::i64);
                   return switch_(index, std::tuple{&same, &twice}, x);  // refused
                 }),
                 "T007 {file}:{line}: switch_: the index is i64[], expected an i32 scalar; convert it: "
                 "convert(x, DType::i32)");
}

TEST(switch_, refuses_a_bool_as_index) {
  expect_refused(traced([](Array x) {
                   return switch_(reduce_sum(x) > 0, std::tuple{&same, &twice}, x);  // refused
                 }),
                 "T007 {file}:{line}: switch_: the index is bool[], expected an i32 scalar; use cond");
}

TEST(switch_, refuses_an_index_per_element) {
  expect_refused(traced([](Array x) {
                   return switch_(convert(x, DType::i32), std::tuple{&same, &twice}, x);  // refused
                 }),
                 "T007 {file}:{line}: switch_: the index is i32[4], expected an i32 scalar; for one per "
                 "element use vmap");
}

TEST(switch_, refuses_a_number_as_index) {
  expect_refused(traced([](Array x) {
                   return switch_(1, std::tuple{&same, &twice}, x);  // refused
                 }),
                 "T008 {file}:{line}: switch_: the index is a number of C++, so the branch is known while "
                 "tracing; choose it with if");
}

TEST(while_loop, refuses_a_test_that_gives_a_number) {
  expect_refused(
      traced([](Array x) {
        return while_loop([](Array y) { return reduce_sum(y); }, twice, x);  // refused
      }),
      "T007 {file}:{line}: while_loop: the test gives f32[], expected a bool scalar; compare something");
}

// --- Bounds and lengths ------------------------------------------------------------------------------------

TEST(scan, refuses_a_negative_length) {
  expect_refused(traced([](Array x) {
                   auto step = [](Array c, std::tuple<>) -> Pair { return {c, c}; };
                   return scan(step, x, {}, {.length = -1}).first;  // refused
                 }),
                 "T005 {file}:{line}: scan: -1 trips; ask for 0 to 2147483647");
}

TEST(scan, refuses_a_length_that_is_not_that_of_xs) {
  expect_refused(
      traced([](Array x) {
        auto step = [](Array c, Array y) -> Pair { return {c, y}; };
        return scan(step, x, x, {.length = 3}).first;  // refused
      }),
      "T005 {file}:{line}: scan: f32[4] has 4 slices along dim 0, but .length is 3; all xs have one length");
}

TEST(scan, refuses_xs_that_are_no_stack) {
  expect_refused(traced([](Array x) {
                   auto step = [](Array c, Array y) -> Pair { return {c, y}; };
                   return scan(step, x, reduce_sum(x)).first;  // refused
                 }),
                 "T005 {file}:{line}: scan: f32[] has no dim to go through; xs are stacked along dim 0");
}

TEST(fori_loop, refuses_bounds_of_different_dtypes) {
  expect_refused(traced([](Array x) {
                   Array i = zeros({}, DType::i32), end = full({}, 3, DType::i64);
                   return fori_loop(i, end, [](Array, Array y) { return y; }, x);  // refused
                 }),
                 "T007 {file}:{line}: fori_loop: i32[] and i64[] have different dtypes; convert one of them: "
                 "convert(x, DType::i64)");
}

TEST(fori_loop, refuses_a_fraction_beside_an_integer_array) {
  expect_refused(traced([](Array x) {
                   Array end = full({}, 3, DType::i32);
                   return fori_loop(0.5, end, [](Array, Array y) { return y; }, x);  // refused
                 }),
                 "T008 {file}:{line}: fori_loop: the number 0.5 does not fit i32; write a whole number "
                 "without a point, or convert to a float dtype");
}

TEST(fori_loop, refuses_a_float_array_as_bound) {
  expect_refused(
      traced([](Array x) {
        return fori_loop(0, reduce_sum(x), [](Array, Array y) { return y; }, x);  // refused
      }),
      "T007 {file}:{line}: fori_loop: a bound is f32[], not an integer; convert it: convert(x, DType::i32)");
}

TEST(fori_loop, refuses_a_bound_that_is_no_scalar) {
  expect_refused(
      traced([](Array x) {
        Array ends = convert(x, DType::i32);
        return fori_loop(0, ends, [](Array, Array y) { return y; }, x);  // refused
      }),
      "T005 {file}:{line}: fori_loop: a bound is i32[4], expected a scalar; for one per element use vmap");
}

TEST(fori_loop, refuses_a_bound_that_i32_does_not_hold) {
  expect_refused(traced([](Array x) {
                   return fori_loop(0, 3'000'000'000, [](Array, Array y) { return y; }, x);  // refused
                 }),
                 "T008 {file}:{line}: fori_loop: the number 3000000000 does not fit i32; write one that is "
                 "nearer to 0, or convert to i64");
}

}  // namespace
}  // namespace tutti
