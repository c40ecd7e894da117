// SPDX-License-Identifier: Apache-2.0
// Makers outside of a trace: finished arrays, to the bit those that a program makes.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/print.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Maker = std::function<Array()>;

Tensor in_a_program(const Maker& make) { return open_local(Mesh()).compile(make)().tensor(); }

void expect_as_in_a_program(const std::string& what, const Maker& make) {
  const Array made = make();
  EXPECT_EQ(made.traced(), nullptr) << what;
  EXPECT_EQ(made.sharding(), std::nullopt) << what;
  EXPECT_EQ(made.tensor(), in_a_program(make)) << what;
}

TEST(makers_outside_of_a_trace, make_what_a_program_makes_for_every_dtype) {
  for (DType dtype : all_dtypes()) {
    const Array like = Tensor({3, 2}, dtype);
    const Number two = dtype == DType::boolean ? Number(true) : Number(std::int64_t{2});
    expect_as_in_a_program("zeros", [=] { return zeros({2, 3}, dtype); });
    expect_as_in_a_program("ones", [=] { return ones({2, 3}, dtype); });
    expect_as_in_a_program("full", [=] { return full({2, 3}, two, dtype); });
    expect_as_in_a_program("eye", [=] { return eye(3, dtype); });
    expect_as_in_a_program("zeros_like", [=] { return zeros_like(like); });
    expect_as_in_a_program("ones_like", [=] { return ones_like(like); });
    expect_as_in_a_program("full_like", [=] {
      return dtype == DType::boolean ? full_like(like, true) : full_like(like, 1);
    });
    if (dtype != DType::boolean) expect_as_in_a_program("arange", [=] { return arange(300, dtype); });
  }
}

TEST(makers_outside_of_a_trace, take_scalars_and_empty_shapes) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{1}})
    expect_as_in_a_program(to_string(shape), [=] { return ones(shape, DType::f16); });
  expect_as_in_a_program("arange(0)", [] { return arange(0, DType::i32); });
  expect_as_in_a_program("eye(0)", [] { return eye(0, DType::f32); });
}

TEST(makers_outside_of_a_trace, put_ones_on_any_diagonal) {
  for (std::int64_t columns : {0, 1, 3, 7})
    for (int k : {0, 1, -1, 2, -2, 5, -5, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
      expect_as_in_a_program("k = " + std::to_string(k),
                             [=] { return eye(4, DType::f32, {.columns = columns, .k = k}); });
}

TEST(makers_outside_of_a_trace, take_the_type_of_any_array) {
  Machine machine = open_local(Mesh({{"i", 2}}));
  const Array split = machine.place(Tensor({4}, {1, 2, 3, 4}), P("i"));
  EXPECT_EQ(zeros_like(split).tensor(), Tensor({4}, DType::i32));
  EXPECT_EQ(zeros_like(abstract({2}, DType::f64)).tensor(), Tensor({2}, DType::f64));
  EXPECT_EQ(full_like(split, 0.5, DType::f32).values<float>(), std::vector<float>(4, 0.5F));
}

TEST(makers_outside_of_a_trace, make_arguments_of_a_program) {
  auto run = open_local(Mesh()).compile([](Array x, Array y) { return x + y; }, zeros({3}, DType::i32),
                                        arange(3, DType::i32));
  EXPECT_EQ(run(ones({3}, DType::i32), arange(3, DType::i32)).values<std::int32_t>(),
            (std::vector<std::int32_t>{1, 2, 3}));
}

TEST(makers_outside_of_a_trace, refuse_what_they_refuse_inside_at_the_line_of_the_call) {
  expect_refused([] { zeros({-1}, DType::f32); },  // refused
                 "T005 {file}:{line}: zeros: shape [-1] has a negative size; sizes are 0 or more");
  expect_refused([] { full({2}, 0.5, DType::i32); },  // refused
                 "T008 {file}:{line}: full: the number 0.5 does not fit i32; write a whole number without a "
                 "point, or convert to a float dtype");
  expect_refused([] { arange(-1, DType::i32); },  // refused
                 "T005 {file}:{line}: arange: -1 elements; a size is at least 0");
  expect_refused([] { arange(2, DType::boolean); },  // refused
                 "T007 {file}:{line}: arange: bool does not count; use DType::i32");
  expect_refused([] { eye(-1, DType::f32); },  // refused
                 "T005 {file}:{line}: eye: -1 x -1 elements; a size is at least 0");
  expect_refused([] { zeros_like(Array()); },  // refused
                 "T011 {file}:{line}: zeros_like: this array is empty; give it a value before it is used");
  expect_refused([] { full_like(zeros({2}, DType::i8), 300); },  // refused
                 "T008 {file}:{line}: full_like: the number 300 does not fit i8; write one that is nearer to "
                 "0, or convert to i64");
  expect_refused([] { full_like(zeros({2}, DType::f32), zeros({}, DType::f32)); },  // refused
                 "T011 {file}:{line}: full_like: " + nothing_traced);
}

// The words of keys, one after the other.
Array words(const std::vector<Key>& keys) {
  Tensor all({std::ssize(keys), 2}, DType::u32);
  for (std::size_t i = 0; i < keys.size(); ++i)
    std::ranges::copy(keys[i].data.values<std::uint32_t>(), all.mutable_data<std::uint32_t>() + 2 * i);
  return all;
}
Tensor split_in_a_program(const Key& from, int n) {
  auto all = [n](const Key& k) {
    Arrays rows{zeros({0, 2}, DType::u32)};
    for (const Key& one : split(k, n)) rows.push_back(expand_dims(one.data, 0));
    return concatenate(rows, 0);
  };
  return open_local(Mesh()).compile(all, from)(from).tensor();
}

TEST(keys_outside_of_a_trace, are_those_of_a_program) {
  for (const Key& from : {key(0), key(42), key(-1)}) {
    for (int n : {0, 1, 2, 7}) EXPECT_EQ(words(split(from, n)).tensor(), split_in_a_program(from, n)) << n;
    for (std::uint32_t data : {0U, 1U, 17U, 4294967295U})
      expect_as_in_a_program("fold_in", [=] { return fold_in(from, data).data; });
  }
}

TEST(keys_outside_of_a_trace, are_made_of_integer_arrays_as_in_a_program) {
  for (const Tensor& number : {Tensor::scalar(std::int64_t{-1} << 40), Tensor::scalar(~std::uint64_t{0}),
                               Tensor::scalar(std::int32_t{-5}), Tensor::scalar(std::uint8_t{200}),
                               Tensor::scalar(std::int8_t{-1})}) {
    expect_as_in_a_program("key", [=] { return key(Array(number)).data; });
    expect_as_in_a_program("fold_in", [=] { return fold_in(key(3), Array(number)).data; });
  }
}

TEST(keys_outside_of_a_trace, are_drawn_with_in_programs) {
  auto [first, second] = split<2>(fold_in(key(7), 3));
  auto draw = open_local(Mesh()).compile([](const Key& k) { return uniform(k, {4}, DType::f32); }, first);
  EXPECT_NE(draw(first).tensor(), draw(second).tensor());
  auto within = open_local(Mesh()).compile(
      [](const Key& k) { return uniform(split(fold_in(k, 3))[1], {4}, DType::f32); }, key(7));
  EXPECT_EQ(draw(second).tensor(), within(key(7)).tensor());
}

TEST(keys_outside_of_a_trace, refuse_what_they_refuse_inside_at_the_line_of_the_call) {
  expect_refused([] { split(key(0), -1); },  // refused
                 "T005 {file}:{line}: split: -1 keys; a number of keys is 0 or more");
  expect_refused([] { split(Key()); },  // refused
                 "T011 {file}:{line}: split: this array is empty; give it a value before it is used");
  expect_refused([] { fold_in(Key{zeros({2}, DType::i32)}, 1); },  // refused
                 "T007 {file}:{line}: fold_in: the key is i32[2], not u32[2]; make it by key(seed)");
  expect_refused(
      [] { fold_in(key(0), -1); },  // refused
      "T008 {file}:{line}: fold_in: the number -1 does not fit u32; write one that is 0 or more, or "
      "convert to a signed dtype");
  expect_refused([] { fold_in(key(0), Array(Tensor::scalar(1.F))); },  // refused
                 "T007 {file}:{line}: fold_in: the data is f32[], not an integer");
  expect_refused([] { key(Array(Tensor({2}, {1, 2}))); },  // refused
                 "T005 {file}:{line}: key: the seed is i32[2], not a scalar; use vmap for several");
  expect_refused([] { split(Key{abstract({2}, DType::u32)}); },  // refused
                 "T011 {file}:{line}: split: this array only stands for an argument of compile and has no "
                 "values; hand in data");
}

}  // namespace
}  // namespace tutti
