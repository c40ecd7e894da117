// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/free_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tutti {
namespace {

TEST(free_bytes, take_the_smallest_range_that_fits_and_the_lowest_of_several) {
  FreeBytes free;
  for (auto [offset, bytes] : {std::pair{0, 64}, {128, 32}, {256, 32}}) free.give(offset, bytes);
  EXPECT_EQ(free.take(16), 128);
  EXPECT_EQ(free.take(32), 256);
  EXPECT_EQ(free.take(64), 0);
  EXPECT_EQ(free.take(64), std::nullopt);
  EXPECT_EQ(free.take(16), 144);
}

TEST(free_bytes, neighbours_are_one_range) {
  FreeBytes free;
  free.give(0, 64);
  free.give(128, 64);
  free.give(64, 64);
  EXPECT_EQ(free.take(192), 0);
}

TEST(free_bytes, of_another_arena_part_are_absorbed) {
  FreeBytes free, other;
  free.give(0, 64);
  other.give(64, 64);
  free.absorb(other);
  EXPECT_EQ(other.take(64), std::nullopt);
  EXPECT_EQ(free.take(128), 0);
}

/// Beside a list of bools, byte by byte.
TEST(free_bytes, are_never_handed_out_twice) {
  constexpr std::int64_t size = 256;
  FreeBytes free;
  std::vector<bool> is_free(size, true);
  free.give(0, size);
  auto all = [&](std::int64_t offset, std::int64_t bytes, bool wanted) {
    return std::all_of(is_free.begin() + offset, is_free.begin() + offset + bytes,
                       [&](bool f) { return f == wanted; });
  };
  auto set = [&](std::int64_t offset, std::int64_t bytes, bool value) {
    std::fill_n(is_free.begin() + offset, bytes, value);
  };
  std::mt19937 random(7);
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (int i = 0; i < 5000; ++i) {
    const auto bytes = static_cast<std::int64_t>(random() % 24 + 1);
    switch (random() % 3) {
      case 0:
        if (std::optional<std::int64_t> offset = free.take(bytes)) {
          ASSERT_TRUE(all(*offset, bytes, true));
          set(*offset, bytes, false);
          taken.push_back({*offset, bytes});
        } else {
          for (std::int64_t at = 0; at + bytes <= size; ++at) ASSERT_FALSE(all(at, bytes, true));
        }
        break;
      case 1: {
        const auto offset = static_cast<std::int64_t>(random() % (size - 24));
        ASSERT_EQ(free.take_at(offset, bytes), all(offset, bytes, true));
        if (all(offset, bytes, true)) {
          set(offset, bytes, false);
          taken.push_back({offset, bytes});
        }
        break;
      }
      default:
        if (taken.empty()) break;
        std::swap(taken[random() % taken.size()], taken.back());
        free.give(taken.back().first, taken.back().second);
        set(taken.back().first, taken.back().second, true);
        taken.pop_back();
    }
  }
}

}  // namespace
}  // namespace tutti
