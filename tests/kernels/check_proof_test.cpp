// SPDX-License-Identifier: Apache-2.0
// The proof: every kernel in every encoding, in many schedules. `make soak PARTS=kernels` tries 2,000 of each.
#include <gtest/gtest.h>

#include "tests/kernels/cells.hpp"
#include "tests/support/full_sets.hpp"

namespace tutti::kernels {
namespace {

class proof : public testing::TestWithParam<Cell> {};

std::string test_name(const testing::TestParamInfo<Cell>& info) { return identifier(info.param); }

std::vector<Cell> of_two_and_three() {
  std::vector<Cell> cells = cells_of(DType::f32, {7}, Dim{}, 2), more = cells_of(DType::f32, {7}, Dim{}, 3);
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

TEST_P(proof, finds_no_fault_in_many_schedules) {
  const std::int64_t schedules = tries_full_sets() ? 2000 : has_sanitizer ? 50 : 1000;
  const CheckReport report = check(small_kernels(GetParam()), {.schedules = schedules});
  EXPECT_TRUE(report) << to_string(report);
  EXPECT_EQ(report.schedules, schedules);
}
INSTANTIATE_TEST_SUITE_P(kernels, proof, testing::ValuesIn(of_two_and_three()), test_name);

}  // namespace
}  // namespace tutti::kernels
