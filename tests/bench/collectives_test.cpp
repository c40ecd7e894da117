// SPDX-License-Identifier: Apache-2.0
// The programs that bench/collectives times compute what they say.
#include <gtest/gtest.h>

#include "bench/collective_chains.hpp"

namespace tutti::bench {

void PrintTo(const Collective& collective, std::ostream* out) { *out << collective.name; }

namespace {

std::string mistake_of(const Collective& collective, int devices, DType dtype, std::size_t bytes, int links) {
  Team team(2);
  const Start start{devices, static_cast<std::int64_t>(bytes / bytes_per_element(dtype))};
  return Chain(collective, start, links, operand_of(collective, start, dtype), team).mistake();
}

class collective_chains : public testing::TestWithParam<Collective> {};

TEST_P(collective_chains, have_the_values_that_they_say) {
  for (int devices : {2, 4, 8})
    for (DType dtype : {DType::f32, DType::bf16})
      for (std::size_t bytes : {32, 1 << 16})
        for (int links : {1, 2, 3, 9})
          EXPECT_EQ(mistake_of(GetParam(), devices, dtype, bytes, links), "") << name(dtype) << ' ' << bytes;
}

TEST_P(collective_chains, notice_a_wrong_value) {
  Collective wrong = GetParam();
  wrong.expected = [](const Start& start, int, int device, std::int64_t i) {
    return start(device, i) + start(0, i + 1) / 2;
  };
  EXPECT_NE(mistake_of(wrong, 4, DType::f32, 1 << 16, 1), "");
}

INSTANTIATE_TEST_SUITE_P(, collective_chains, testing::ValuesIn(collectives),
                         [](const auto& row) { return std::string(row.param.name); });

// A link is compared with a copy, which reads and writes each byte.
TEST(collective_chains_moved, counts_the_bytes_read_and_written) {
  auto halves = [](std::string_view name) {
    return std::ranges::find(collectives, name, &Collective::name)->copied_bytes(8, 2);
  };
  EXPECT_EQ(halves("psum"), 8U + 1);          // 8 operands, one result
  EXPECT_EQ(halves("psum_link"), 8U + 8);     // 8 values, read and written
  EXPECT_EQ(halves("all_gather_i"), 1U + 1);  // the blocks once, one result
  EXPECT_EQ(halves("all_gather_v"), 1U + 8);
  EXPECT_EQ(halves("psum_scatter"), 8U + 1);
  EXPECT_EQ(halves("all_to_all"), 8U + 8);
  EXPECT_EQ(halves("ppermute"), 8U + 8);
  EXPECT_EQ(halves("pbroadcast"), 1U + 1);
}

}  // namespace
}  // namespace tutti::bench
