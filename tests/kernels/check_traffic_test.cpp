// SPDX-License-Identifier: Apache-2.0
// The bytes that kernels move, counted by the checker, are those of spec/traffic.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/expect_fault.hpp"
#include "tests/kernels/specs.hpp"
#include "tests/support/sanitizer.hpp"
#include "tutti/kernels/spec/traffic.hpp"

namespace tutti::kernels {
namespace {

/// A rank that pulls moves bytes in, one that pushes moves them out.
std::int64_t counted_links(const CollectiveSpec& spec, const Traffic& traffic, int rank) {
  const bool stores = spec.variant == Variant::push || spec.variant == Variant::packets;
  return stores ? traffic.out_of(rank) : traffic.into(rank);
}

void expect_traffic(const Cell& cell, const Manifest& manifest, const Traffic& traffic) {
  const CollectiveSpec& spec = cell.spec;
  SCOPED_TRACE(to_string(cell));
  for (int rank = 0; rank < spec.world; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    EXPECT_EQ(counted_links(spec, traffic, rank), link_bytes(spec, rank)) << "links of rank " << rank;
    const MemoryBytes memory = memory_bytes(spec, rank);
    EXPECT_EQ(traffic.own_written[at], memory.written) << "written by rank " << rank;
    EXPECT_EQ(traffic.own_read[at], memory.read) << "read by rank " << rank;
  }
  const bool has_pads = spec.variant != Variant::packets;
  const std::int64_t words = std::int64_t{spec.world} * spec.world * manifest.launch.grid;
  EXPECT_EQ(traffic.signals, has_pads ? words * manifest.sequence.signals : 0);
}

bool has_least_reads(const CollectiveSpec& spec, const std::vector<Traffic>& traffic) {
  for (const Traffic& of_call : traffic)
    for (int rank = 0; rank < spec.world; ++rank)
      if (of_call.own_read[static_cast<std::size_t>(rank)] > memory_bytes(spec, rank).read) return false;
  return true;
}

/// Polls of packets read again what has not come: the least over some schedules is that of none in vain.
std::vector<Traffic> traffic_of(const EmittedKernels& kernels) {
  const bool polls_data = kernels.manifest.spec.variant == Variant::packets;
  std::vector<Traffic> least;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const CheckOptions options{.schedules = 1, .kinds = {ScheduleKind::round_robin}, .seed = seed};
    const CheckReport report = check(kernels, options);
    EXPECT_TRUE(report) << to_string(report);
    if (least.empty()) least = report.traffic;
    for (std::size_t call = 0; call < least.size(); ++call)
      for (std::size_t rank = 0; rank < least[call].own_read.size(); ++rank)
        least[call].own_read[rank] =
            std::min(least[call].own_read[rank], report.traffic[call].own_read[rank]);
    if (!polls_data || has_least_reads(kernels.manifest.spec, least)) break;
  }
  return least;
}

void expect_formulas(DType dtype, const Shape& shape, int world) {
  for (const Cell& cell : cells_of(dtype, shape, Dim{shape.rank() - 1}, world)) {
    // With many ranks hardly any schedule has no poll in vain.
    if (cell.spec.variant == Variant::packets && world > 3) continue;
    const EmittedKernels kernels = small_kernels(cell);
    const std::vector<Traffic> traffic = traffic_of(kernels);
    ASSERT_EQ(traffic.size(), 3U);
    for (const Traffic& of_call : traffic) expect_traffic(cell, kernels.manifest, of_call);
  }
}

TEST(check_traffic, is_that_of_the_formulas) {
  std::vector<DType> dtypes{DType::f32, DType::u8, DType::f16, DType::i64, DType::complex128};
  if (has_sanitizer()) dtypes.resize(1);  // sizes of elements differ, not the code
  for (DType dtype : dtypes) {
    for (int world : {1, 2, 3, 6}) expect_formulas(dtype, {7}, world);
    for (int world : {2, 3}) expect_formulas(dtype, {3, 4}, world);
  }
}

TEST(check_traffic, of_blocks_without_elements_is_none) {
  for (const Cell& cell : cells_of(DType::f32, {0}, Dim{}, 3)) {
    const EmittedKernels kernels = small_kernels(cell);
    const CheckReport report = check(kernels);
    EXPECT_TRUE(report) << to_string(report);
    for (const Traffic& traffic : report.traffic) expect_traffic(cell, kernels.manifest, traffic);
  }
}

// The sums of the issue: per rank, N the rank's whole input.
TEST(check_traffic, over_links_is_the_least_that_each_algorithm_needs) {
  const int world = 4;
  const std::int64_t elements = 16 * world, bytes = elements * 4;
  for (const CollectiveSpec& spec : specs_of(DType::f32, {elements}, Dim{}, world)) {
    if (spec.variant == Variant::packets) continue;
    SCOPED_TRACE(to_string(spec));
    const std::int64_t found = link_bytes(spec, 1);
    switch (spec.kind) {
      case CollectiveKind::all_gather: EXPECT_EQ(found, bytes * (world - 1)); break;
      case CollectiveKind::all_reduce:
        EXPECT_EQ(found,
                  spec.variant == Variant::two_shot ? 2 * bytes * (world - 1) / world : bytes * (world - 1));
        break;
      case CollectiveKind::reduce_scatter:
      case CollectiveKind::all_to_all: EXPECT_EQ(found, bytes * world * (world - 1) / world); break;
      case CollectiveKind::ppermute: EXPECT_EQ(found, bytes); break;
    }
  }
}

TEST(check_traffic, grids_have_at_most_32_blocks_at_all_sizes) {
  for (std::int64_t elements = 0; elements < (std::int64_t{1} << 36); elements = elements * 3 + 1)
    for (DType dtype : {DType::u8, DType::f32, DType::i64})
      for (int world : {1, 2, 8, 16})
        for (const CollectiveSpec& spec : specs_of(dtype, {elements}, Dim{}, world))
          for (Target target : {Target::nvidia, Target::amd})
            EXPECT_LE(manifest_of(spec, target).launch.grid, 32) << to_string(spec);
}

}  // namespace
}  // namespace tutti::kernels
