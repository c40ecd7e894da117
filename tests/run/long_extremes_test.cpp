// SPDX-License-Identifier: Apache-2.0
// argmax and argmin of a long line are found in pieces, by all workers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t elements = 300'001;  // pieces of 8192, and a shorter one
const Mesh mesh({{"x", 1}});

struct Found {
  std::int64_t largest, smallest;
  bool operator==(const Found&) const = default;
};

Found found(const std::vector<float>& line) {
  const Array x = Tensor(Shape{1, elements}, line);
  auto both = [](const Array& a) { return std::pair{argmax(a, 1, DType::i64), argmin(a, 1, DType::i64)}; };
  Machine machine = open_local(mesh, {.workers = 2});
  auto [largest, smallest] =
      machine.compile(shard_map(both, {.mesh = mesh, .in = {P()}, .out = {P(), P()}}), x)(x);
  return {largest.values<std::int64_t>()[0], smallest.values<std::int64_t>()[0]};
}

std::vector<float> waves() {
  std::vector<float> line;
  for (std::int64_t i = 0; i < elements; ++i) line.push_back(static_cast<float>(i * 7919 % 2001) / 8 - 125);
  return line;
}
/// Waves, and these values at these places.
Found found_with(const std::vector<std::pair<std::int64_t, float>>& values) {
  std::vector<float> line = waves();
  for (auto [place, value] : values) line[static_cast<std::size_t>(place)] = value;
  return found(line);
}

TEST(long_extremes, are_the_first_of_equal_ones) {
  const std::vector<float> line = waves();
  EXPECT_EQ(found(line), (Found{std::ranges::max_element(line) - line.begin(),
                                std::ranges::min_element(line) - line.begin()}));
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

TEST(long_extremes, take_no_zero_for_a_larger_one) {
  std::vector<float> line(static_cast<std::size_t>(elements), -0.0F);
  line[100'000] = 0;
  EXPECT_EQ(found(line), (Found{0, 0}));
}

}  // namespace
}  // namespace tutti
