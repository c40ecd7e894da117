// SPDX-License-Identifier: Apache-2.0
// The proof: every kernel in every encoding has no fault in many schedules. `make soak PARTS=kernels` runs
// 2,000 schedules of every cell (TUTTI_TEST_FULL=1). Sanitizers see one in 11 of the schedules or cells: it
// is the same code.
#include <gtest/gtest.h>

#include "tests/kernels/expect_fault.hpp"
#include "tests/kernels/specs.hpp"
#include "tests/support/full_sets.hpp"

namespace tutti::kernels {
namespace {

std::int64_t schedules(std::int64_t of_ci) { return tries_full_sets() ? 2000 : of_ci; }

void expect_proven(const Cell& cell, std::int64_t schedules_of_ci) {
  const CheckOptions options{.schedules = schedules(schedules_of_ci), .most_delay = 10};
  const CheckReport report = check(small_kernels(cell), options);
  EXPECT_TRUE(report) << to_string(cell) << ", shape " << to_string(cell.spec.shape) << "\n"
                      << to_string(report);
  EXPECT_EQ(report.schedules, options.schedules) << to_string(cell);
}

class proof : public testing::TestWithParam<Cell> {};
std::string test_name(const testing::TestParamInfo<Cell>& info) { return identifier(info.param); }

std::vector<Cell> of_worlds(int first, int last) {
  std::vector<Cell> cells;
  for (int world = first; world <= last; ++world)
    for (Cell& cell : cells_of(DType::f32, {7}, Dim{}, world)) cells.push_back(std::move(cell));
  return cells;
}

INSTANTIATE_TEST_SUITE_P(kernels, proof, testing::ValuesIn(of_worlds(2, 3)), test_name);
TEST_P(proof, in_a_thousand_schedules) {
  expect_proven(GetParam(), 1000 / static_cast<std::int64_t>(one_in_sanitized()));
}

class proof_of_worlds : public testing::TestWithParam<Cell> {};
std::vector<Cell> of_other_worlds() {
  std::vector<Cell> cells = of_worlds(1, 1), larger = of_worlds(4, most_world);
  cells.insert(cells.end(), larger.begin(), larger.end());
  std::vector<Cell> seen;
  for (std::size_t i = 0; i < cells.size(); i += one_in_sanitized()) seen.push_back(cells[i]);
  return seen;
}

INSTANTIATE_TEST_SUITE_P(kernels, proof_of_worlds, testing::ValuesIn(of_other_worlds()), test_name);
TEST_P(proof_of_worlds, in_four_schedules) { expect_proven(GetParam(), 4); }

/// Every dtype that the kernel takes, every dim of three; a reduction of each kind.
class proof_of_data : public testing::TestWithParam<Cell> {};
INSTANTIATE_TEST_SUITE_P(kernels, proof_of_data, testing::ValuesIn(of_worlds(2, 3)), test_name);

class proof_of_sums : public testing::TestWithParam<Cell> {};
std::vector<Cell> that_reduce() {
  std::vector<Cell> cells = of_worlds(2, 3);
  std::erase_if(cells, [](const Cell& cell) { return !cell.spec.reduction; });
  return cells;
}
INSTANTIATE_TEST_SUITE_P(kernels, proof_of_sums, testing::ValuesIn(that_reduce()), test_name);

std::vector<CollectiveSpec> with_each_reduction(const CollectiveSpec& spec) {
  if (!spec.reduction) return {spec};
  std::vector<CollectiveSpec> specs;
  for (ReduceKind kind : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
    specs.push_back(spec);
    specs.back().reduction = kind;
  }
  return specs;
}

TEST_P(proof_of_data, of_each_dtype_in_four_schedules) {
  std::size_t number = 0;
  for (DType dtype : all_dtypes())
    for (Cell cell{GetParam()}; const CollectiveSpec& spec : with_each_reduction(cell.spec)) {
      cell.spec = spec;
      cell.spec.dtype = dtype;
      if (eligible(cell.spec) && number++ % one_in_sanitized() == 0) expect_proven(cell, 4);
    }
}

TEST_P(proof_of_data, of_each_dim_in_four_schedules) {
  const CollectiveKind kind = GetParam().spec.kind;
  for (int dim = 0; dim < (has_dim(kind) ? 3 : 1); ++dim)
    for (int concat = 0; concat < (kind == CollectiveKind::all_to_all ? 3 : 1); ++concat) {
      Cell cell = GetParam();
      cell.spec.shape = {2, 3, 2};
      cell.spec.dim = Dim{dim};
      if (kind == CollectiveKind::all_to_all && concat != dim) cell.spec.concat = Dim{concat};
      expect_proven(cell, 4);
    }
}

// The order of additions shows in the last bits: it is that of the ranks, on all ranks.
TEST_P(proof_of_sums, of_numbers_whose_sums_depend_on_the_order) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    Cell cell = GetParam();
    cell.spec.dtype = dtype;
    expect_no_fault(check(small_kernels(cell), {.schedules = schedules(4), .numbers = Numbers::any}));
  }
}

// Calls of one kernel in three sizes: they share pads and stagings.
TEST_P(proof_of_data, of_calls_whose_sizes_change) {
  std::vector<EmittedKernels> all;
  for (std::int64_t size : {7, 2, 0, 12}) {
    Cell cell = GetParam();
    cell.spec.shape = {size};
    all.push_back(small_kernels(cell));
  }
  const CheckReport report =
      check(all, {.calls = 9, .schedules = schedules(has_sanitizer() ? 4 : 20), .most_delay = 20});
  EXPECT_TRUE(report) << to_string(GetParam()) << "\n" << to_string(report);
}

}  // namespace
}  // namespace tutti::kernels
