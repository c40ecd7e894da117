// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/tensor/element_values.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

/// One element after the other.
void copy_plainly(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                  std::size_t element_bytes) {
  if (loops.empty()) {
    std::memcpy(to, from, element_bytes);
    return;
  }
  for (std::int64_t i = 0; i < loops[0].size; ++i)
    copy_plainly(to + i * loops[0].to_stride, from + i * loops[0].from_stride, loops.subspan(1),
                 element_bytes);
}

struct CopyRow {
  std::string name;
  std::vector<CopyLoop> loops;  // strides in elements; from offset 5000
};

class strided_copy_of : public testing::TestWithParam<CopyRow> {};

TEST_P(strided_copy_of, moves_each_element_to_its_place) {
  for (std::size_t size : {1, 4, 8, 12}) {
    auto loops = GetParam().loops;
    for (CopyLoop& loop : loops) {
      loop.to_stride *= std::int64_t(size);
      loop.from_stride *= std::int64_t(size);
    }
    std::vector<std::byte> from(20000 * size), found(20000 * size), want(20000 * size);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 2654435761U >> 13);
    strided_copy(found.data() + 5000 * size, from.data() + 5000 * size, loops, size);
    copy_plainly(want.data() + 5000 * size, from.data() + 5000 * size, loops, size);
    EXPECT_EQ(found, want) << size << " bytes";
    std::ranges::fill(found, std::byte{0});
    strided_stream(found.data() + 5000 * size, from.data() + 5000 * size, loops, size);
    finish_streaming();
    EXPECT_EQ(found, want) << size << " bytes, streamed";
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, strided_copy_of,
    testing::Values(CopyRow{"one_element", {}}, CopyRow{"dense", {{4, 30, 30}, {5, 6, 6}, {6, 1, 1}}},
                    CopyRow{"rows_apart", {{7, 10, 13}, {10, 1, 1}}},
                    CopyRow{"transposed", {{37, 41, 1}, {41, 1, 37}}},
                    CopyRow{"transposed_batch", {{3, 600, 600}, {20, 30, 1}, {30, 1, 20}}},
                    CopyRow{"scattered", {{37, 1, 41}, {41, 37, 1}}},
                    CopyRow{"row_repeated", {{8, 16, 0}, {16, 1, 1}}},
                    CopyRow{"element_repeated", {{8, 16, 1}, {16, 1, 0}}},
                    CopyRow{"reversed", {{9, 20, -20}, {20, 1, -1}}}, CopyRow{"every_third", {{50, 1, 3}}},
                    CopyRow{"loops_of_one", {{1, 99, 7}, {5, 8, 8}, {1, 3, 1}, {8, 1, 1}}},
                    CopyRow{"nothing", {{3, 1, 1}, {0, 1, 1}}},
                    CopyRow{"five_deep", {{2, 120, 1}, {3, 40, 2}, {2, 20, 6}, {4, 5, 12}, {5, 1, 48}}},
                    CopyRow{"forty_deep", std::vector<CopyLoop>(40, CopyLoop{1, 2, 3})}),
    [](const auto& row) { return row.param.name; });

// A header of 256 KiB can ask for as many.
TEST(strided_copy, takes_any_number_of_loops_that_run_once) {
  std::vector<CopyLoop> loops;
  for (int i = 0; i < 130000; ++i) loops.push_back({1, i % 7, 3});  // none lies evenly in the one before
  loops[10] = {2, 12, 4};
  loops[70000] = {3, 4, 8};
  const std::vector<float> from{0, 1, 2, 3, 4, 5};
  std::vector<float> found(6);
  strided_copy(reinterpret_cast<std::byte*>(found.data()), reinterpret_cast<const std::byte*>(from.data()),
               loops, sizeof(float));
  EXPECT_EQ(found, (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

TEST(strided_copy, takes_sixty_loops_that_run_twice) {
  std::vector<CopyLoop> loops(60, CopyLoop{1, 0, 0});
  for (int i = 44; i < 60; ++i)  // the strides of the loops are in no order, so that none are joined
    loops[static_cast<std::size_t>(i)] = {2, std::int64_t{1} << (59 - i), std::int64_t{1} << (i - 44)};
  std::vector<std::byte> from(1 << 16), found(1 << 16), want(1 << 16);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  strided_copy(found.data(), from.data(), loops, 1);
  copy_plainly(want.data(), from.data(), loops, 1);
  EXPECT_EQ(found, want);
}

TEST(fill, repeats_an_element_of_any_size) {
  for (std::size_t size : {1, 4, 8, 12})
    for (std::size_t n : {0, 1, 5, 100}) {
      std::vector<std::byte> element(size), found((n + 1) * size);
      for (std::size_t i = 0; i < size; ++i) element[i] = static_cast<std::byte>(i + 1);
      fill(found.data(), element.data(), std::int64_t(n), size);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(0, std::memcmp(&found[i * size], element.data(), size));
      EXPECT_EQ(found[n * size], std::byte{0});
    }
}

TEST(stream, writes_the_bytes_asked_for_and_no_others) {
  std::vector<std::byte> from(1200), want(1200), found(1200);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(1 + i * 2654435761U % 251);
  for (std::size_t begin : {0, 1, 5, 63, 64, 100})
    for (std::size_t bytes : {0, 1, 31, 32, 63, 64, 65, 128, 500, 1000}) {
      std::ranges::fill(found, std::byte{0});
      std::ranges::fill(want, std::byte{0});
      std::copy_n(from.begin() + 3, bytes, want.begin() + static_cast<std::ptrdiff_t>(begin));
      stream(found.data() + begin, from.data() + 3, bytes);
      finish_streaming();
      EXPECT_EQ(found, want) << bytes << " bytes from " << begin;
    }
}

}  // namespace
}  // namespace tutti
