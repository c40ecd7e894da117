// SPDX-License-Identifier: Apache-2.0
// All-gathers run by views, launches and visits alone, on plain vectors: is every element where concatenation
// puts it?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/specs.hpp"
#include "tutti/kernels/spec/launch.hpp"

namespace tutti::kernels {
namespace {

// For each element of the result: rank * elements of a block + index in it; -1 if nobody wrote it, -2 if two
// did.
std::vector<std::int64_t> gathered(const CollectiveSpec& spec, const Launch& launch,
                                   const VisitOrder& order) {
  const CanonicalView view = view_of(spec);
  std::vector<std::int64_t> result(static_cast<std::size_t>(view.result.elements()), -1);
  for (int program = 0; program < launch.grid; ++program)
    for (std::int64_t step = 0; step < order.steps(program); ++step) {
      const Visit visit = *order.visit(program, step);
      const TileRange range = range_of(launch, visit.tile);
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        std::int64_t& to = result.at(static_cast<std::size_t>(view.result.offset(i, visit.source)));
        to = to == -1 ? visit.source * view.elements + i : -2;
      }
    }
  return result;
}

std::vector<std::int64_t> concatenated(const CollectiveSpec& spec) {
  const Shape whole = spec.shape.with(spec.dim, spec.shape[spec.dim] * spec.world);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < whole.elements(); ++i) {
    Coordinates at = coordinates(whole, i);
    std::int64_t& along = at[static_cast<std::size_t>(spec.dim.index)];
    const std::int64_t rank = along / spec.shape[spec.dim];
    along %= spec.shape[spec.dim];
    result.push_back(rank * spec.shape.elements() + index_of(spec.shape, at));
  }
  return result;
}

void expect_gathers(CollectiveSpec spec) {
  for (Variant variant : {Variant::standard, Variant::swizzled}) {
    spec.variant = variant;
    const Launch launch = launch_of(spec, Target::nvidia);
    for (int rank = 0; rank < spec.world; ++rank)
      EXPECT_EQ(gathered(spec, launch, visit_order(spec, launch, rank)), concatenated(spec))
          << to_string(spec);
  }
}

TEST(d1, a_block_of_several_tiles_is_gathered_right) {
  expect_gathers(gather_of(DType::f32, {4096}, 2));
  for (std::int64_t size : {12, 1000, 3072, 4097}) expect_gathers(gather_of(DType::f32, {size}, 2));
}

TEST(d4, other_dims_may_have_several_tiles) {
  expect_gathers(gather_of(DType::f32, {2, 8192}, 4));
  expect_gathers(gather_of(DType::f32, {128, 128}, 4, Dim{1}));
  expect_gathers(gather_of(DType::f32, {8, 4096}, 8));
}

TEST(behaviour_4, every_dim_extent_and_world_is_gathered_right) {
  for (int rank = 1; rank <= 5; ++rank)
    for (int dim = 0; dim < rank; ++dim)
      for (std::int64_t extent = 1; extent <= 20; ++extent)
        for (int world = 1; world <= 9; ++world) {
          std::vector<std::int64_t> block{2, 1, 3, 2, 1};
          block.resize(static_cast<std::size_t>(rank));
          block[static_cast<std::size_t>(dim)] = extent;
          const CollectiveSpec spec = gather_of(DType::f32, Shape(block), world, Dim{dim});
          Launch launch = launch_of(spec, Target::nvidia);
          launch.tile_elements = 4;  // several tiles also of small blocks
          launch.grid = static_cast<int>(std::min<std::int64_t>(launch.tiles(), 3));
          const auto expected = concatenated(spec);
          for (int group = 1; group <= 16; group += 5)
            ASSERT_EQ(gathered(spec, launch, VisitOrder(launch, world, world - 1, group)), expected)
                << to_string(spec);
        }
}

TEST(behaviour_4, both_extents_of_a_matrix_may_be_anything) {
  for (std::int64_t rows = 1; rows <= 20; ++rows)
    for (std::int64_t columns = 1; columns <= 20; ++columns)
      for (int dim : {0, 1}) {
        const CollectiveSpec spec = gather_of(DType::f32, {rows, columns}, 3, Dim{dim});
        Launch launch = launch_of(spec, Target::nvidia);
        launch.tile_elements = 8;
        launch.grid = static_cast<int>(std::min<std::int64_t>(launch.tiles(), 5));
        ASSERT_EQ(gathered(spec, launch, VisitOrder(launch, 3, 1, 2)), concatenated(spec)) << to_string(spec);
      }
}

TEST(gathered, without_elements_launches_nothing) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 5}}) {
    const CollectiveSpec spec = gather_of(DType::f32, shape, 3);
    EXPECT_EQ(launch_of(spec, Target::nvidia).grid, 0);
    expect_gathers(spec);
  }
}

}  // namespace
}  // namespace tutti::kernels
