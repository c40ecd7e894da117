// SPDX-License-Identifier: Apache-2.0
// Arrays that are used where they do not exist: outside of a trace, after it, in another one, before it has a
// value.
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
      "T011 {file}:{line}: add: " + nothing_traced);
}

TEST(traces, are_needed_for_constants) {
  expect_refused(
      [] {
        linspace(0, 1, 2, DType::f32);  // refused
      },
      "T011 {file}:{line}: linspace: " + nothing_traced);
}

TEST(traces, are_needed_for_shard_map) {
  expect_refused(
      [] {
        ShardMapOptions options{.mesh = Mesh({{"data", 2}}), .in = P(), .out = P()};
        auto same = shard_map([](Array x) { return x; }, options);  // refused
        same(Array(Tensor({2}, std::vector<float>{1, 2})));
      },
      "T011 {file}:{line}: shard_map: " + nothing_traced);
}

TEST(traces, are_needed_for_transforms) {
  Array data = Tensor(Shape{}, std::vector<float>{1});
  expect_refused(
      [&] {
        grad([](Array x) { return x * x; })(data);  // refused
      },
      "T011 {file}:{line}: grad: " + nothing_traced);
  expect_refused(
      [&] {
        value_and_grad([](Array x) { return x * x; })(data);  // refused
      },
      "T011 {file}:{line}: value_and_grad: " + nothing_traced);
  expect_refused(
      [&] {
        jvp([](Array x) { return x * x; }, std::tuple{data}, std::tuple{data});  // refused
      },
      "T011 {file}:{line}: jvp: " + nothing_traced);
  expect_refused(
      [&] {
        vjp([](Array x) { return x * x; }, std::tuple{data});  // refused
      },
      "T011 {file}:{line}: vjp: " + nothing_traced);
  expect_refused(
      [&] {
        vmap([](Array x) { return x * x; })(data);  // refused
      },
      "T011 {file}:{line}: vmap: " + nothing_traced);
}

TEST(traces, are_needed_for_control_flow_and_rules) {
  const Array x = Tensor({3}, {1.F, 2.F, 3.F}), yes = Tensor::scalar(true);
  auto same = [](const Array& a) { return a; };
  auto pair = [](const Array& a) { return std::pair{a, a}; };
  auto pushed = [](const std::tuple<Array>& a, const std::tuple<Array>& t) {
    return std::pair{std::get<0>(a), std::get<0>(t)};
  };
  auto pulled = [](const Array&, const Array& ct) { return std::tuple{ct}; };
  const std::vector<std::pair<const char*, std::function<void()>>> calls{
      {"cond", [&] { cond(yes, same, same, x); }},
      {"scan", [&] { scan([](const Array& c, const Array& y) { return std::pair{c + y, y}; }, yes, x); }},
      {"while_loop", [&] { while_loop([](const Array& c) { return all(c < 3); }, same, x); }},
      {"fori_loop", [&] { fori_loop(0, 3, [](const Array&, const Array& c) { return c; }, x); }},
      {"remat", [&] { remat(same)(x); }},
      {"custom_jvp", [&] { custom_jvp(same, pushed)(x); }},
      {"custom_vjp", [&] { custom_vjp(same, pair, pulled)(x); }},
      {"linearize", [&] { linearize(same, std::tuple{x}); }},
      {"jacfwd", [&] { jacfwd(same)(x); }},
      {"axis_index", [&] { axis_index("data"); }},
      {"psum_start", [&] { psum_start(x, "data"); }},
      {"debug_print", [&] { debug_print("{}", x); }}};
  for (const auto& [name, call] : calls) {
    const std::string said = refusal(call), expected = std::string(name) + ": " + nothing_traced;
    EXPECT_TRUE(said.starts_with("T011 " + std::string(__FILE__)) && said.ends_with(expected)) << said;
  }
}

TEST(escaped_arrays, are_refused_after_their_trace) {
  Array kept = escaped();
  expect_refused(
      [&] {
        kept.shape();  // refused
      },
      "T011 {file}:{line}: this array is from a function whose trace has ended; return it from there instead "
      "of storing it");
  expect_refused(
      [&] {
        kept.tensor();  // refused
      },
      "T011 {file}:{line}: tensor: this array is from a function whose trace has ended; return it from there "
      "instead of storing it");
}

TEST(escaped_arrays, are_refused_in_another_trace) {
  Array kept = escaped();
  expect_refused(traced([&](Array x) {
                   return x + kept;  // refused
                 }),
                 "T011 {file}:{line}: add: this array is from a function whose trace has ended; return it "
                 "from there instead of storing it");
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
                 "T011 {file}:{line}: sub: this array is from a function whose trace has ended; return it "
                 "from there instead of storing it");
}

TEST(escaped_arrays, are_refused_as_results) {
  Array kept = escaped();
  expect_refused(traced([&](Array x) {
                   return vmap([&](Array) { return kept; })(x);  // refused
                 }),
                 "T011 {file}:{line}: vmap: this array is from a function whose trace has ended; return it "
                 "from there instead of storing it");
}

TEST(values, are_not_read_while_they_are_traced) {
  expect_refused(traced([](Array x) {
                   return x * x.item();  // refused
                 }),
                 "T011 {file}:{line}: item: the values of an array are not known while its program is "
                 "traced; return it, and read what the call returns");
  expect_refused(traced([](Array x) {
                   x.tensor();  // refused
                   return x;
                 }),
                 "T011 {file}:{line}: tensor: the values of an array are not known while its program is "
                 "traced; return it, and read what the call returns");
}

TEST(values, of_several_elements_are_no_item) {
  Array data = Tensor({2}, std::vector<float>{1, 2});
  expect_refused(
      [&] {
        data.item();  // refused
      },
      "T005 {file}:{line}: item: the array has shape [2], not one element; read it with tensor()");
}

TEST(empty_arrays, are_refused) {
  expect_refused(traced([](Array x) {
                   return x + Array();  // refused
                 }),
                 "T011 {file}:{line}: add: this array is empty; give it a value before it is used");
  expect_refused(
      [] {
        Array().rank();  // refused
      },
      "T011 {file}:{line}: this array is empty; give it a value before it is used");
  expect_refused(
      [] {
        Array().item();  // refused
      },
      "T011 {file}:{line}: item: this array is empty; give it a value before it is used");
}

TEST(empty_arrays, are_refused_as_results) {
  expect_refused(traced([](Array x) {
                   return shard_map([](Array) { return Array(); },  // refused
                                    {.mesh = Mesh({{"data", 2}}), .in = P(), .out = P()})(x);
                 }),
                 "T011 {file}:{line}: shard_map: this array is empty; give it a value before it is used");
}

TEST(abstract_arrays, have_a_type_only) {
  Array stands_for = abstract({4}, DType::f32);
  expect_refused(traced([&](Array x) {
                   return x + stands_for;  // refused
                 }),
                 "T011 {file}:{line}: add: this array only stands for an argument of compile and has no "
                 "values; hand in data");
  expect_refused(
      [&] {
        stands_for.tensor();  // refused
      },
      "T011 {file}:{line}: tensor: this array only stands for an argument of compile and has no values; hand "
      "in data");
}

}  // namespace
}  // namespace tutti
