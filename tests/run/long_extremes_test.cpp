// SPDX-License-Identifier: Apache-2.0
// argmax and argmin of a long line are found in pieces, by all workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tests/support/values.hpp"
#include "tutti/ops/arg_reduce.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t elements = 300'001;  // pieces of 8192, and a shorter one
const Mesh mesh({{"x", 1}});

struct Found {
  std::int64_t largest, smallest;
  bool operator==(const Found&) const = default;
};

Found found(const Array& x) {
  auto both = [](const Array& a) { return std::pair{argmax(a, 1, DType::i64), argmin(a, 1, DType::i64)}; };
  Machine machine = open_local(mesh, {.workers = 2});
  auto [largest, smallest] =
      machine.compile(shard_map(both, {.mesh = mesh, .in = {P()}, .out = {P(), P()}}), x)(x);
  return {largest.values<std::int64_t>()[0], smallest.values<std::int64_t>()[0]};
}
/// Where the first of the largest and of the smallest numbers stands.
Found first_of(const Tensor& x) {
  std::vector<double> line;
  for (std::int64_t i = 0; i < x.elements(); ++i) line.push_back(x.at(i));
  return {std::ranges::max_element(line) - line.begin(), std::ranges::min_element(line) - line.begin()};
}

std::vector<float> waves() {
  std::vector<float> line;
  for (std::int64_t i = 0; i < elements; ++i) line.push_back(static_cast<float>(i * 7919 % 2001) / 8 - 125);
  return line;
}
Tensor one_line(const std::vector<float>& line) { return Tensor(Shape{1, elements}, line); }
/// Waves, and these values at these places.
Found found_with(const std::vector<std::pair<std::int64_t, float>>& values) {
  std::vector<float> line = waves();
  for (auto [place, value] : values) line[static_cast<std::size_t>(place)] = value;
  return found(one_line(line));
}

TEST(long_extremes, are_found_in_pieces) {
  for (DType dtype : {DType::f32, DType::bf16, DType::i32})
    EXPECT_NE((ArgReduce{Extreme::largest, Dim{1}, DType::i64}.in_pieces({Type(dtype, {1, elements})})),
              nullptr);
}

TEST(long_extremes, are_the_first_of_equal_ones) {
  const Tensor x = one_line(waves());
  EXPECT_EQ(found(x), first_of(x));
}

// The largest and the smallest waves become equal to many.
TEST(long_extremes, of_a_narrower_dtype_are_the_first_of_equal_ones) {
  for (DType dtype : {DType::bf16, DType::i32}) {
    Tensor x({1, elements}, dtype);
    for (std::int64_t i = 0; const float value : waves()) put_element(x, i++, value);
    EXPECT_EQ(found(x), first_of(x)) << name(dtype);
  }
}

TEST(long_extremes, stand_in_any_piece) {
  for (std::int64_t place : {0L, 8191L, 8192L, 200'000L, 294'911L, 294'912L, elements - 1})
    EXPECT_EQ(found_with({{place, 1000}}).largest, place);
}

TEST(long_extremes, of_the_last_piece_are_its_first) {
  EXPECT_EQ(found_with({{elements - 9, 1000}, {elements - 2, 1000}}).largest, elements - 9);
}

TEST(long_extremes, are_the_first_nan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(found_with({{150'000, nan}, {70'000, nan}, {20, 1000}}), (Found{70'000, 70'000}));
  EXPECT_EQ(found_with({{elements - 1, nan}}), (Found{elements - 1, elements - 1}));
}

TEST(long_extremes, count_zeros_of_both_signs_as_equal) {
  std::vector<float> line(static_cast<std::size_t>(elements), -0.0F);
  line[100'000] = 0;
  EXPECT_EQ(found(one_line(line)), (Found{0, 0}));
}

}  // namespace
}  // namespace tutti
