// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/block.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

bool is_zero(const std::byte* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (block[i] != std::byte{0}) return false;
  return true;
}

TEST(block, is_zeroed_and_starts_a_cache_line_or_a_page) {
  for (auto [start, alignment] : {std::pair{BlockStart::line, 64U}, std::pair{BlockStart::page, 4096U}})
    for (std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{1000}, huge_page - 1, huge_page + 1}) {
      std::shared_ptr<std::byte> block = allocate_block(bytes, start);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % alignment, 0U) << bytes;
      EXPECT_TRUE(is_zero(block.get(), bytes)) << bytes;
    }
}

TEST(block, starts_a_huge_page_if_it_has_room_for_one) {
  std::vector<std::shared_ptr<std::byte>> blocks;
  for (std::size_t bytes : {huge_page, huge_page + 4096, 3 * huge_page - 1}) {
    blocks.push_back(allocate_block(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().get()) % huge_page, 0U) << bytes;
    blocks.back().get()[bytes - 1] = std::byte{1};  // it is there
  }
}

TEST(block, is_refused_where_there_is_no_memory) {
  try {
    allocate_block(std::numeric_limits<std::size_t>::max() - 100);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::memory);
    EXPECT_STREQ(error.what(), "no memory for 18446744073709551515 bytes; compute in parts, or keep less");
  }
}

}  // namespace
}  // namespace tutti
