// SPDX-License-Identifier: Apache-2.0
// Arrays that are used where they do not exist: outside of a trace, after it, in another one, before it has a value.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// A traced value that outlives its trace.
Array escaped() {
  Array kept;
  traced([&](Array x) { return kept = x * 2; })();
  return kept;
}

TEST(traces, are_needed_for_arithmetic) {
  Array data = Tensor({2}, std::vector<float>{1, 2});
  expect_refused(
      [&] {
        data + 1;  // refused
      },
      "?");
}

TEST(traces, are_needed_for_constants) {
  expect_refused(
      [] {
        zeros({2}, DType::f32);  // refused
      },
      "?");
}

TEST(traces, are_needed_for_shard_map) {
  expect_refused(
      [] {
        auto same = shard_map([](Array x) { return x; },
                              {.mesh = Mesh({{"data", 2}}), .in = P(), .out = P()});  // refused
        same(Array(Tensor({2}, std::vector<float>{1, 2})));
      },
      "?");
}

TEST(traces, are_needed_for_transforms) {
  Array data = Tensor(Shape{}, std::vector<float>{1});
  expect_refused(
      [&] {
        grad([](Array x) { return x * x; })(data);  // refused
      },
      "?");
  expect_refused(
      [&] {
        value_and_grad([](Array x) { return x * x; })(data);  // refused
      },
      "?");
  expect_refused(
      [&] {
        jvp([](Array x) { return x * x; }, std::tuple{data}, std::tuple{data});  // refused
      },
      "?");
  expect_refused(
      [&] {
        vjp([](Array x) { return x * x; }, std::tuple{data});  // refused
      },
      "?");
  expect_refused(
      [&] {
        vmap([](Array x) { return x * x; })(data);  // refused
      },
      "?");
}

TEST(escaped_arrays, are_refused_after_their_trace) {
  Array kept = escaped();
  expect_refused(
      [&] {
        kept.shape();  // refused
      },
      "?");
  expect_refused(
      [&] {
        kept.tensor();  // refused
      },
      "?");
}

TEST(escaped_arrays, are_refused_in_another_trace) {
  Array kept = escaped();
  expect_refused(traced([&](Array x) {
                   return x + kept;  // refused
                 }),
                 "?");
}

TEST(escaped_arrays, are_refused_outside_of_the_function_that_made_them) {
  expect_refused(traced([](Array x) {
                   Array kept;
                   grad([&](Array y) {
                     kept = y * y;
                     return reduce_sum(kept);
                   })(x);
                   return kept - x;  // refused
                 }),
                 "?");
}

TEST(escaped_arrays, are_refused_as_results) {
  Array kept = escaped();
  expect_refused(traced([&](Array x) {
                   return vmap([&](Array) { return kept; })(x);  // refused
                 }),
                 "?");
}

TEST(values, are_not_read_while_they_are_traced) {
  expect_refused(traced([](Array x) {
                   return x * x.item();  // refused
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   x.tensor();  // refused
                   return x;
                 }),
                 "?");
}

TEST(values, of_several_elements_are_no_item) {
  Array data = Tensor({2}, std::vector<float>{1, 2});
  expect_refused(
      [&] {
        data.item();  // refused
      },
      "?");
}

TEST(empty_arrays, are_refused) {
  expect_refused(traced([](Array x) {
                   return x + Array();  // refused
                 }),
                 "?");
  expect_refused(
      [] {
        Array().rank();  // refused
      },
      "?");
  expect_refused(
      [] {
        Array().item();  // refused
      },
      "?");
}

TEST(empty_arrays, are_refused_as_results) {
  expect_refused(traced([](Array x) {
                   return shard_map([](Array) { return Array(); },  // refused
                                    {.mesh = Mesh({{"data", 2}}), .in = P(), .out = P()})(x);
                 }),
                 "?");
}

TEST(abstract_arrays, have_a_type_only) {
  Array stands_for = abstract({2}, DType::f32);
  expect_refused(traced([&](Array x) {
                   return x + stands_for;  // refused
                 }),
                 "?");
  expect_refused(
      [&] {
        stands_for.tensor();  // refused
      },
      "?");
}

}  // namespace
}  // namespace tutti
