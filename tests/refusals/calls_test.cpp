// SPDX-License-Identifier: Apache-2.0
// Programs that a machine does not compile, and calls of compiled programs with other arguments.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Machine machine() { return open_local(Mesh({{"data", 4}}), {.workers = 1}); }
Array floats(const Shape& shape) { return Tensor(shape, DType::f32); }
Array doubled(Array x) { return 2 * x; }

TEST(compile, is_not_called_inside_a_trace) {
  expect_refused(
      traced([](Array x) {
        machine().compile(doubled, x);  // refused
        return x;
      }),
      "T011 {file}:{line}: compile: a function is being traced here; compile outside of it, and call the "
      "function itself here");
}

TEST(compile, takes_programs_for_its_own_mesh) {
  expect_refused(
      [] {
        auto other = shard_map(doubled, {.mesh = Mesh({{"rows", 2}}), .in = P(), .out = P()});  // refused
        machine().compile(other, floats({4}));
      },
      "T014 {file}:{line}: compile: shard_map: its mesh is rows=2, the machine's is data=4; open a machine "
      "on this mesh");
}

TEST(compile, takes_arguments_with_a_type) {
  expect_refused(
      [] {
        machine().compile(doubled, Array());  // refused
      },
      "T011 {file}:{line}: compile: argument 0: this array is empty; give it a value before it is used");
}

TEST(compile, takes_functions_that_return_what_they_made) {
  Array kept;
  traced([&](Array x) { return kept = x * 2; })();
  expect_refused(
      [&] {
        machine().compile([&](Array) { return kept; }, floats({4}));  // refused
      },
      "T011 {file}:{line}: compile: this array is from a function whose trace has ended; return it from "
      "there instead of "
      "storing it");
}

TEST(compile, takes_programs_that_fit_into_memory) {
  expect_refused(
      [] {
        auto large = [](Array x) {
          return x + zeros({1 << 20, 1 << 20, 64}, DType::f64);  // refused
        };
        machine().compile(large, abstract({}, DType::f64));
      },
      "R003 {file}:{line}: add: no memory for f64[1048576,1048576,64] on 1 device; split it over more, or "
      "compute it in parts");
  expect_refused(
      [] {
        auto large = [](Array x) {
          return x + arange(std::int64_t{1} << 45, DType::i64);  // refused
        };
        machine().compile(large, abstract({}, DType::i64));
      },
      "R003 {file}:{line}: iota: no memory for i64[35184372088832], 281474976710656 bytes; compute it in "
      "parts");
}

TEST(calls, take_no_argument_that_was_given_away) {
  auto program = machine().compile(doubled, floats({4}));
  Array x = floats({4});
  program(std::move(x));
  expect_refused(
      [&] {
        program(x);  // refused
      },
      "T011 {file}:{line}: call: argument 0: this array was moved away, to a call that took its memory or to "
      "another array; use what the call returned, or move a copy");
}

TEST(calls, have_arguments_of_the_compiled_shape) {
  auto program = machine().compile(doubled, floats({4}));
  expect_refused(
      [&] {
        program(floats({5}));  // refused
      },
      "T015 {file}:{line}: call: argument 0 is f32[5], but the program was compiled for f32[4]; hand in that "
      "type, or compile it for this one too");
}

TEST(calls, have_arguments_of_the_compiled_dtype) {
  auto program = machine().compile(doubled, floats({4}));
  expect_refused(
      [&] {
        program(Tensor({4}, DType::f64));  // refused
      },
      "T015 {file}:{line}: call: argument 0 is f64[4], but the program was compiled for f32[4]; hand in that "
      "type, or compile it for this one too");
}

TEST(calls, have_arguments_of_the_compiled_form) {
  auto first = [](std::vector<Array> x) { return x[0]; };
  auto program = machine().compile(first, std::vector{floats({4}), floats({4})});
  expect_refused(
      [&] {
        program(std::vector{floats({4})});  // refused
      },
      "T012 {file}:{line}: call: the trees differ at .0: found 1 part ([0]), expected 2 parts ([0], [1]); "
      "hand in the same structure");
}

TEST(calls, name_the_argument_that_does_not_fit) {
  struct Params {
    Array w;
    std::map<std::string, Array> more;
  };
  auto sum = [](Params p, Array x) { return p.w + p.more.at("b") + x; };
  Params params{floats({4}), {{"b", floats({4})}}};
  auto program = machine().compile(sum, params, floats({4}));
  expect_refused(
      [&] {
        program(Params{floats({4}), {{"b", floats({2})}}}, floats({4}));  // refused
      },
      "T015 {file}:{line}: call: argument 0.1[\"b\"] is f32[2], but the program was compiled for f32[4]; "
      "hand in that type, or compile it for this one too");
}

TEST(calls, have_data_as_arguments) {
  auto program = machine().compile(doubled, floats({4}));
  expect_refused(
      [&] {
        program(abstract({4}, DType::f32));  // refused
      },
      "T011 {file}:{line}: call: argument 0: this array only stands for an argument of compile and has no "
      "values; hand in data");
  expect_refused(
      [&] {
        program(Array());  // refused
      },
      "T011 {file}:{line}: call: argument 0: this array is empty; give it a value before it is used");
}

TEST(calls, inside_a_trace_are_refused) {
  auto program = machine().compile(doubled, floats({4}));
  expect_refused(traced([&](Array x) {
                   return program(x);  // refused
                 }),
                 "T011 {file}:{line}: call: argument 0: its values are not known while its program is "
                 "traced; call the function that was compiled instead");
}

TEST(machines, have_workers) {
  expect_refused(
      [] {
        open_local(Mesh(), {.workers = -1});  // refused
      },
      "R004 {file}:{line}: open_local: -1 workers; ask for 1 or more, or 0 to let Tutti choose");
}

TEST(data, has_as_many_values_as_its_shape_has_elements) {
  expect_refused(
      [] {
        Tensor({2, 2}, std::vector<float>{1, 2, 3});  // refused
      },
      "T005 {file}:{line}: tensor: 3 values for shape [2,2], which has 4 elements; hand in 4");
  expect_refused(
      [] {
        Tensor({-1}, DType::f32);  // refused
      },
      "T005 {file}:{line}: tensor: shape [-1] has a negative size; sizes are 0 or more");
}

}  // namespace
}  // namespace tutti
