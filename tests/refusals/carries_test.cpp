// SPDX-License-Identifier: Apache-2.0
// Carries of loops and results of branches in other trees, shapes and dtypes; the same for functions with
// derivatives of their own. Gradients that control flow does not have.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;
using Many = std::vector<Array>;
using Named = std::map<std::string, Array>;

Array same(Array x) { return x; }
Array twice(Array x) { return 2 * x; }
Array positive(const Array& x) { return reduce_sum(x) > 0; }
Array below_nine(Many x) { return reduce_sum(x[0]) < 9; }

// --- Branches ----------------------------------------------------------------------------------------------

TEST(cond, refuses_branches_with_other_keys) {
  expect_refused(traced([](Array x) {
                   auto mean_of = [](Array y) { return Named{{"mean", mean(y)}}; };
                   auto sum_of = [](Array y) { return Named{{"sum", reduce_sum(y)}}; };
                   return cond(positive(x), mean_of, sum_of, x).begin()->second;  // refused
                 }),
                 "T012 {file}:{line}: cond: the trees differ: found 1 part ([\"mean\"]), expected 1 part "
                 "([\"sum\"]); return the same structure from every branch");
}

TEST(switch_, names_the_result_whose_shape_differs) {
  expect_refused(traced([](Array x) {
                   auto both = [](Array y) { return Pair{y, y}; };
                   auto first = [](Array y) { return Pair{y, reduce_sum(y)}; };
                   Array index = convert(reduce_sum(x), DType::i32);
                   return switch_(index, std::tuple{both, both, first}, x).first;  // refused
                 }),
                 "T005 {file}:{line}: switch_: result 1 is f32[4] in one branch and f32[] in another; give "
                 "them one shape");
}

TEST(switch_, names_the_result_whose_dtype_differs) {
  expect_refused(traced([](Array x) {
                   auto count = [](Array y) { return convert(y, DType::i32); };
                   Array index = convert(reduce_sum(x), DType::i32);
                   return switch_(index, std::tuple{&same, count}, x);  // refused
                 }),
                 "T007 {file}:{line}: switch_: result 0 is f32[4] in one branch and i32[4] in another; "
                 "convert one of them");
}

TEST(cond, refuses_an_empty_result) {
  expect_refused(traced([](Array x) {
                   return cond(positive(x), same, [](Array) { return Array(); }, x);  // refused
                 }),
                 "T011 {file}:{line}: cond: this array is empty; give it a value before it is used");
}

// --- Loops -------------------------------------------------------------------------------------------------

TEST(while_loop, refuses_a_carry_that_changes_its_shape) {
  expect_refused(
      traced([](Array x) {
        auto trip = [](Array y) { return reduce_sum(y); };
        return while_loop(positive, trip, x);  // refused
      }),
      "T005 {file}:{line}: while_loop: carry 0 is f32[4] before a trip and f32[] after it; keep its shape");
}

TEST(while_loop, refuses_a_carry_that_changes_its_dtype) {
  expect_refused(
      traced([](Array x) {
        auto trip = [](Array y) { return convert(y, DType::f64); };
        return while_loop(positive, trip, x);  // refused
      }),
      "T007 {file}:{line}: while_loop: carry 0 is f32[4] before a trip and f64[4] after it; convert it");
}

TEST(while_loop, refuses_a_carry_that_changes_its_tree) {
  expect_refused(traced([](Array x) {
                   auto trip = [](Many y) { return Many{y[0], y[0]}; };
                   return while_loop(below_nine, trip, Many{x})[0];  // refused
                 }),
                 "T012 {file}:{line}: while_loop: the trees differ: found 2 parts ([0], [1]), expected 1 "
                 "part ([0]); return the structure that the loop starts with");
}

TEST(scan, refuses_a_carry_that_changes_its_tree) {
  expect_refused(traced([](Array x) {
                   auto step = [](Many c, Array y) { return std::pair{Many{c[0], y}, y}; };
                   return scan(step, Many{x}, x).first[0];  // refused
                 }),
                 "T012 {file}:{line}: scan: the trees differ: found 2 parts ([0], [1]), expected 1 part "
                 "([0]); return the structure that the loop starts with");
}

TEST(scan, names_the_carry_that_changes) {
  expect_refused(
      traced([](Array x) {
        auto step = [](Pair c, Array y) { return std::pair{Pair{c.first, c.second > y}, y}; };
        return scan(step, Pair{x, x}, x).first.first;  // refused
      }),
      "T007 {file}:{line}: scan: carry 1 is f32[4] before a trip and bool[4] after it; convert it");
}

TEST(fori_loop, refuses_a_carry_that_changes_its_shape) {
  expect_refused(
      traced([](Array x) {
        return fori_loop(0, 3, [](Array, Array y) { return reduce_sum(y); }, x);  // refused
      }),
      "T005 {file}:{line}: fori_loop: carry 0 is f32[4] before a trip and f32[] after it; keep its shape");
}

TEST(fori_loop, refuses_a_carry_that_changes_its_dtype) {
  expect_refused(
      traced([](Array x) {
        auto trip = [](Array i, Array) { return broadcast_to(i, {4}); };
        return fori_loop(0, 3, trip, x);  // refused
      }),
      "T007 {file}:{line}: fori_loop: carry 0 is f32[4] before a trip and i32[4] after it; convert it");
}

TEST(fori_loop, to_an_array_names_the_users_carry) {
  expect_refused(
      traced([](Array x) {
        Array end = convert(reduce_sum(x), DType::i32);
        return fori_loop(0, end, [](Array, Array y) { return y > 0; }, x);  // refused
      }),
      "T007 {file}:{line}: fori_loop: carry 0 is f32[4] before a trip and bool[4] after it; convert it");
}

TEST(fori_loop, refuses_a_carry_that_changes_its_tree) {
  expect_refused(traced([](Array x) {
                   auto trip = [](Array, Many y) { return Many{y[0], y[0]}; };
                   return fori_loop(0, 3, trip, Many{x})[0];  // refused
                 }),
                 "T012 {file}:{line}: fori_loop: the trees differ: found 2 parts ([0], [1]), expected 1 part "
                 "([0]); return the structure that the loop starts with");
}

// --- Functions with derivatives of their own ---------------------------------------------------------------

auto with_rule = [](auto rule, Where where = Where::here()) { return custom_jvp(twice, rule, where); };

/// A rule is traced where a derivative is taken.
std::function<void()> differentiated(const std::function<Array(Array)>& body) {
  return traced([=](Array x) { return grad([&](Array y) { return reduce_sum(body(y)); })(x); });
}
/// A loop whose bound is equal on all devices; `body` also takes a value that is not.
std::function<void()> differentiated_on_devices(const std::function<Array(Array, Array)>& body) {
  return on_devices([=](Array x) {
    auto loss = [&](Array y) { return pmean(reduce_sum(body(y, x)), "data"); };
    return grad(loss)(ones_like(x));
  });
}

TEST(custom_jvp, refuses_a_tangent_of_another_shape) {
  expect_refused(differentiated([](Array x) {
                   auto rule = [](std::tuple<Array> at, std::tuple<Array> moved) {
                     return Pair{2 * std::get<0>(at), reduce_sum(std::get<0>(moved))};
                   };
                   return with_rule(rule)(x);  // refused
                 }),
                 "T005 {file}:{line}: custom_jvp: the rule's tangent 0 is f32[], expected f32[4]");
}

TEST(custom_jvp, refuses_a_tangent_of_another_dtype) {
  expect_refused(differentiated([](Array x) {
                   auto rule = [](std::tuple<Array> at, std::tuple<Array> moved) {
                     return Pair{2 * std::get<0>(at), convert(std::get<0>(moved), DType::f64)};
                   };
                   return with_rule(rule)(x);  // refused
                 }),
                 "T007 {file}:{line}: custom_jvp: the rule's tangent 0 is f64[4], expected f32[4]");
}

TEST(custom_jvp, refuses_a_result_of_another_shape) {
  expect_refused(differentiated([](Array x) {
                   auto rule = [](std::tuple<Array> at, std::tuple<Array> moved) {
                     return Pair{reduce_sum(std::get<0>(at)), std::get<0>(moved)};
                   };
                   return with_rule(rule)(x);  // refused
                 }),
                 "T005 {file}:{line}: custom_jvp: the rule's result 0 is f32[], expected f32[4]");
}

TEST(custom_jvp, refuses_another_number_of_results) {
  expect_refused(differentiated([](Array x) {
                   auto function = [](Array y) { return Many{y, y}; };
                   auto rule = [](std::tuple<Array> at, std::tuple<Array> moved) {
                     return std::pair{Many{std::get<0>(at)}, Many{std::get<0>(moved)}};
                   };
                   return custom_jvp(function, rule)(x)[0];  // refused
                 }),
                 "T012 {file}:{line}: custom_jvp: the rule returns the function's results and a tangent of "
                 "each; found 2 arrays, expected 4");
}

TEST(custom_jvp, refuses_a_tangent_that_varies_where_the_result_does_not) {
  expect_refused(differentiated_on_devices([](Array w, Array x) {
                   auto rule = [&](std::tuple<Array> at, std::tuple<Array> moved) {
                     return Pair{2 * std::get<0>(at), std::get<0>(moved) * x};
                   };
                   return with_rule(rule)(w);  // refused
                 }),
                 "T004 {file}:{line}: custom_jvp: the rule's tangent 0 is f32[2]{V:data}, expected f32[2]: "
                 "it is different on each device along 'data'; make it equal with psum, pmax or pbroadcast");
}

TEST(custom_vjp, refuses_a_forward_with_another_result) {
  expect_refused(differentiated([](Array x) {
                   auto forward = [](Array y) { return Pair{reduce_sum(y), y}; };
                   auto backward = [](Array, Array ct) { return std::tuple{ct}; };
                   return custom_vjp(twice, forward, backward)(x);  // refused
                 }),
                 "T005 {file}:{line}: custom_vjp: forward's result 0 is f32[], expected f32[4]");
}

TEST(custom_vjp, refuses_a_cotangent_of_another_shape) {
  expect_refused(differentiated([](Array x) {
                   auto forward = [](Array y) { return Pair{2 * y, y}; };
                   auto backward = [](Array, Array ct) { return std::tuple{reduce_sum(ct)}; };
                   return custom_vjp(twice, forward, backward)(x);  // refused
                 }),
                 "T005 {file}:{line}: custom_vjp: backward's cotangent 0 is f32[], expected f32[4]");
}

TEST(custom_vjp, refuses_a_cotangent_of_another_dtype) {
  expect_refused(differentiated([](Array x) {
                   auto forward = [](Array y) { return Pair{2 * y, y}; };
                   auto backward = [](Array, Array ct) { return std::tuple{ct > 0}; };
                   return custom_vjp(twice, forward, backward)(x);  // refused
                 }),
                 "T007 {file}:{line}: custom_vjp: backward's cotangent 0 is bool[4], expected f32[4]");
}

TEST(custom_vjp, refuses_another_number_of_cotangents) {
  expect_refused(differentiated([](Array x) {
                   auto sum = [](Many y) { return y[0] + y[1]; };
                   auto forward = [&](Many y) { return Pair{sum(y), y[0]}; };
                   auto backward = [](Array, Array ct) { return std::tuple{Many{ct}}; };
                   return custom_vjp(sum, forward, backward)(Many{x, x});  // refused
                 }),
                 "T012 {file}:{line}: custom_vjp: backward returns a cotangent of each argument leaf; found "
                 "1 array, expected 2");
}

TEST(custom_vjp, refuses_a_cotangent_that_is_not_summed_over_the_devices) {
  expect_refused(differentiated_on_devices([](Array w, Array x) {
                   auto product = [&](Array v) { return v * x; };
                   auto forward = [&](Array v) { return Pair{v * x, v}; };
                   auto backward = [&](Array, Array ct) { return std::tuple{ct * x}; };
                   return custom_vjp(product, forward, backward)(w);  // refused
                 }),
                 "T004 {file}:{line}: custom_vjp: backward's cotangent 0 is f32[2]{V:data}, expected f32[2]: "
                 "it is different on each device along 'data'; make it equal with psum, pmax or pbroadcast");
}

// --- Gradients that there are not --------------------------------------------------------------------------

TEST(while_loop, has_no_gradient) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     return reduce_sum(while_loop(positive, twice, y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "T010 {file}:{line}: while: transpose is refused: a while loop does not say how many trips "
                 "there are, so what its gradient needs of each has no place; use scan, or fori_loop with "
                 "numbers of C++ for bounds");
}

TEST(fori_loop, to_an_array_has_no_gradient) {
  expect_refused(traced([](Array x) {
                   Array end = convert(reduce_sum(x), DType::i32);
                   auto loss = [&](Array y) {
                     return reduce_sum(
                         fori_loop(0, end, [](Array, Array v) { return 2 * v; }, y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "T010 {file}:{line}: while: transpose is refused: a while loop does not say how many trips "
                 "there are, so what its gradient needs of each has no place; use scan, or fori_loop with "
                 "numbers of C++ for bounds");
}

TEST(while_loop, in_a_branch_has_no_gradient) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     auto loop = [](Array v) {
                       return while_loop(positive, twice, v);  // refused
                     };
                     return reduce_sum(cond(positive(y), loop, same, y));
                   };
                   return grad(loss)(x);
                 }),
                 "T010 {file}:{line}: while: transpose is refused: a while loop does not say how many trips "
                 "there are, so what its gradient needs of each has no place; use scan, or fori_loop with "
                 "numbers of C++ for bounds");
}

TEST(bitcast_convert, to_floats_has_no_gradient) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     Array pairs = reshape(y, {2, 2});
                     return convert(reduce_sum(bitcast_convert(pairs, DType::f64)), DType::f32);  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "T010 {file}:{line}: bitcast_convert: jvp is refused: the bits of a number do not follow it "
                 "smoothly; take them of stop_gradient(x)");
}

TEST(grad, in_a_loop_is_by_floats_too) {
  expect_refused(traced([](Array x) {
                   auto count = [](Array i) { return convert(reduce_sum(i), DType::f32); };
                   auto step = [&](Array c, Array) -> Pair {
                     return {c + reduce_sum(grad(count)(convert(c, DType::i32))), c};  // refused
                   };
                   return scan(step, x, x).first;
                 }),
                 "T007 {file}:{line}: grad: argument leaf 0 is i32[4], which has no derivative; close over "
                 "it or make it a later argument");
}

TEST(custom_vjp, that_is_not_linear_has_no_forward_derivative) {
  expect_refused(traced([](Array x) {
                   auto forward = [](Array y) { return Pair{2 * y, y}; };
                   auto backward = [](Array, Array ct) {
                     return std::tuple{maximum(ct, 0)};  // refused
                   };
                   return jvp(custom_vjp(twice, forward, backward), std::tuple{x}, std::tuple{x}).second;
                 }),
                 "T010 {file}:{line}: jvp: the tangent of a custom_vjp needs its backward to be linear; "
                 "maximum: transpose is refused: it is not linear");
}

}  // namespace
}  // namespace tutti
