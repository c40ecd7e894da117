// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/launch.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "tests/kernels/specs.hpp"
#include "tutti/base/error.hpp"

namespace tutti::kernels {
namespace {

const std::vector<std::int64_t> sizes{
    0,         1,         7,           1024,        1017,           4096,
    8'192,     8'193,     100'000,     1'000'003,   1 << 24,        (1 << 26) + 1,
    1LL << 31, 1LL << 36, 3'000'000'0, 123'456'789, (1LL << 40) + 5};

void for_all_launches(auto&& f) {
  for (Target target : {Target::nvidia, Target::amd})
    for (DType dtype : {DType::i8, DType::f16, DType::f32, DType::f64, DType::complex128})
      for (std::int64_t size : sizes)
        for (int world : {1, 3, 8, 16}) f(launch_of(gather_of(dtype, {size}, world), target), target, world);
}

TEST(launch, grows_with_the_data) {
  auto shown = [](std::int64_t size) {
    const Launch launch = launch_of(gather_of(DType::f32, {size}, 8), Target::nvidia);
    return std::vector<std::int64_t>{launch.warps, launch.unroll, launch.tile_elements, launch.grid};
  };
  EXPECT_EQ(shown(0), (std::vector<std::int64_t>{4, 1, 512, 0}));
  EXPECT_EQ(shown(1), (std::vector<std::int64_t>{4, 1, 512, 1}));
  EXPECT_EQ(shown(8'192), (std::vector<std::int64_t>{4, 1, 512, 16}));     // 32 KiB
  EXPECT_EQ(shown(8'193), (std::vector<std::int64_t>{8, 1, 1024, 9}));     // and one more
  EXPECT_EQ(shown(1 << 18), (std::vector<std::int64_t>{8, 4, 4096, 32}));  // 1 MiB
  EXPECT_EQ(shown(1 << 24), (std::vector<std::int64_t>{16, 4, 8192, 32}));
}

TEST(launch, unrolls_only_while_every_block_has_a_tile) {
  for_all_launches([](const Launch& launch, Target, int) {
    if (launch.unroll == 1) return;
    EXPECT_EQ(launch.grid, most_blocks);
  });
}

// D3: the grid of the PR was world * tiles.
TEST(d3, the_grid_is_small_whatever_world_and_size) {
  for_all_launches([](const Launch& launch, Target, int) {
    EXPECT_LE(launch.grid, most_blocks);
    EXPECT_LE(launch.grid, launch.tiles());
    EXPECT_EQ(launch.grid == 0, launch.elements == 0);
    EXPECT_LE(launch.tile_elements, most_tile_elements);
  });
}

// D8: threads were 96, warps 3; and 32 threads per warp on a machine of 64.
TEST(d8, warps_and_tiles_are_powers_of_two_of_the_targets_warps) {
  for_all_launches([](const Launch& launch, Target target, int world) {
    const int threads = launch.warps * threads_per_warp(target);
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(launch.warps)));
    EXPECT_TRUE(std::has_single_bit(static_cast<std::uint64_t>(launch.tile_elements)));
    EXPECT_LE(threads, most_threads);
    EXPECT_GE(threads, world);
    EXPECT_EQ(launch.tile_elements % (std::int64_t{threads} * launch.unroll), 0);
  });
  EXPECT_EQ(threads_per_warp(Target::amd), 64);
}

// D12: lanes that are masked off when a tile is loaded are masked off when it is stored, as there is one
// range.
TEST(d12, every_element_is_of_one_tile_and_none_lies_outside) {
  for_all_launches([](const Launch& launch, Target, int) {
    if (launch.tiles() == 0) return;
    EXPECT_EQ(range_of(launch, 0).begin, 0);
    EXPECT_EQ(range_of(launch, launch.tiles() - 1).end, launch.elements);
    for (std::int64_t tile : {launch.tiles() - 1, launch.tiles() / 2, std::int64_t{0}}) {
      const TileRange range = range_of(launch, tile);
      EXPECT_LT(range.begin, range.end);
      EXPECT_LE(range.end - range.begin, launch.tile_elements);
      if (tile == 0) continue;
      EXPECT_EQ(range_of(launch, tile - 1).end, range.begin);
    }
  });
}

Launch tiles(std::int64_t count, int grid) {
  return {.warps = 4, .unroll = 1, .elements = count * 4 - (count > 0), .tile_elements = 4, .grid = grid};
}

// Behaviour 4: one bijection of programs and steps, for groups 1..16, worlds 1..9, and any number of tiles.
void expect_bijection(const Launch& launch, int world, int rank, const VisitOrder& order) {
  std::vector<int> seen(static_cast<std::size_t>(world * launch.tiles()));
  std::int64_t steps = 0;
  for (int program = 0; program < launch.grid; ++program)
    for (std::int64_t step = 0; step < order.steps(program); ++step, ++steps) {
      const std::optional<Visit> visit = order.visit(program, step);
      ASSERT_TRUE(visit);
      ASSERT_TRUE(0 <= visit->source && visit->source < world && 0 <= visit->tile &&
                  visit->tile < launch.tiles());
      // Who reads a tile has the number of who published it, which is the same on every rank.
      ASSERT_EQ(program_of(launch, visit->tile), program);
      ++seen[static_cast<std::size_t>(visit->source * launch.tiles() + visit->tile)];
    }
  ASSERT_EQ(steps, world * launch.tiles());
  for (int times : seen) ASSERT_EQ(times, 1) << "world " << world << ", rank " << rank;
}

TEST(behaviour_4, every_source_and_tile_is_visited_once) {
  for (int world = 1; world <= 9; ++world)
    for (int rank = 0; rank < world; ++rank)
      for (int count = 0; count <= 20; ++count)
        for (int grid : {1, 2, 3, 7, 20}) {
          const Launch launch = tiles(count, std::min(grid, count));
          expect_bijection(launch, world, rank, VisitOrder(launch, world, rank));
          for (int group = 0; group <= 16; ++group)
            expect_bijection(launch, world, rank, VisitOrder(launch, world, rank, group));
        }
}

TEST(behaviour_4, programs_without_tiles_leave_before_a_division) {
  for (int count : {0, 1, 5}) {
    const Launch launch = tiles(count, count);
    const VisitOrder order(launch, 4, 1, 8);
    for (int program : {-1, count, count + 1, 31}) {
      EXPECT_EQ(order.steps(program), 0);
      EXPECT_EQ(order.visit(program, 0), std::nullopt);
    }
    EXPECT_EQ(order.visit(0, -1), std::nullopt);
    EXPECT_EQ(order.visit(0, order.steps(0)), std::nullopt);
  }
}

std::string visits(const VisitOrder& order, int program) {
  std::string text;
  for (std::int64_t step = 0; step < order.steps(program); ++step) {
    const Visit visit = *order.visit(program, step);
    text += (text.empty() ? "" : " ") + std::to_string(visit.source) + ":" + std::to_string(visit.tile);
  }
  return text;
}

TEST(visit_order, begins_at_the_right_neighbour_and_ends_at_home) {
  EXPECT_EQ(visits(VisitOrder(tiles(5, 2), 3, 1), 0), "2:0 2:2 2:4 0:0 0:2 0:4 1:0 1:2 1:4");
  EXPECT_EQ(visits(VisitOrder(tiles(5, 2), 3, 1), 1), "2:1 2:3 0:1 0:3 1:1 1:3");
}

TEST(visit_order, swizzled_takes_a_group_from_every_source_before_the_next) {
  EXPECT_EQ(visits(VisitOrder(tiles(5, 2), 3, 1, 2), 0), "2:0 2:2 0:0 0:2 1:0 1:2 2:4 0:4 1:4");
  CollectiveSpec spec = gather_of(DType::f32, {1 << 24}, 3);
  const Launch launch = launch_of(spec, Target::nvidia);
  EXPECT_EQ(visit_order(spec, launch, 0).visit(0, swizzle_group), (Visit{1, swizzle_group * 32}));
  spec.variant = Variant::swizzled;
  EXPECT_EQ(visit_order(spec, launch, 0).visit(0, swizzle_group), (Visit{2, 0}));
}

TEST(visit_order, refuses_a_rank_outside_of_the_world) {
  EXPECT_THROW(VisitOrder(tiles(5, 2), 3, 3), Error);
  EXPECT_THROW(VisitOrder(tiles(5, 2), 3, -1), Error);
}

}  // namespace
}  // namespace tutti::kernels
