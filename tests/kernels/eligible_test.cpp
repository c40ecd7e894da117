// SPDX-License-Identifier: Apache-2.0
// Behaviour 3 and D10 (identity maps of get-tuple-element) exist only in XLA: an op of Tutti has no tuples.
// Nor does this layer log (behaviour 6, D11): a refusal is a value, and who asked prints it.
#include "tutti/kernels/spec/eligible.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/specs.hpp"
#include "tutti/kernels/spec/launch.hpp"

namespace tutti::kernels {
namespace {

std::string why_not(const CollectiveSpec& spec) { return eligible(spec).refusal.value_or("eligible"); }

// Rows of the tests of ROCm/xla PR 799 and of its later branches: dtype, block, dim, groups. f8 is u8, s4 is
// unpacked to i8.
TEST(eligible, gathers_of_the_table_have_kernels) {
  struct Row {
    DType dtype;
    Shape block;
    int dim;
    Groups groups;
  };
  const Groups two{{0, 1}}, four = one_group(4), eight = one_group(8);
  std::vector<Row> rows{
      {DType::f32, {1024}, 0, eight},   {DType::f32, {1024}, 0, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {DType::f32, {2, 512}, 0, four},  {DType::f32, {3, 3, 113}, 0, two},
      {DType::f32, {8, 8, 16}, 0, two}, {DType::f32, {32, 32}, 1, four},
      {DType::f32, {8, 8, 16}, 1, two}, {DType::f32, {8, 8, 16}, 2, two},
      {DType::bf16, {1024}, 0, two},    {DType::bf16, {1024}, 0, four},
      {DType::bf16, {1024}, 0, eight},  {DType::u8, {32, 64}, 0, two},
      {DType::f32, {1, 4}, 0, two},     {DType::i8, {2, 4}, 0, two},
      {DType::i8, {4, 2}, 1, two},      {DType::u32, {2, 2, 3}, 1, two},
      {DType::f32, {4096}, 0, two},     {DType::f32, {4, 4}, 0, two},
      {DType::f32, {7}, 0, two},        {DType::f32, {1024}, 0, one_group(3)}};
  for (DType dtype : all_dtypes()) rows.push_back({dtype, {1024}, 0, two});
  for (const Row& row : rows) {
    CollectiveSpec spec =
        gather_of(row.dtype, row.block, static_cast<int>(row.groups[0].size()), Dim{row.dim});
    spec.groups = row.groups;
    EXPECT_EQ(why_not(spec), "eligible") << to_string(spec);
  }
}

TEST(eligible, every_dtype_moves) {
  for (DType dtype : all_dtypes())
    for (CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::all_to_all, CollectiveKind::ppermute})
      EXPECT_EQ(why_not(spec_for(kind, dtype, {5, 3}, 2)), "eligible");
}

TEST(eligible, reductions_take_integers_and_floats) {
  for (DType dtype : all_dtypes())
    for (CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter})
      for (ReduceKind reduction : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
        CollectiveSpec spec = spec_for(kind, dtype, {5}, 2);
        spec.reduction = reduction;
        EXPECT_EQ(bool(eligible(spec)), is_integer(dtype) || is_float(dtype)) << to_string(spec);
      }
  EXPECT_EQ(why_not(spec_for(CollectiveKind::all_reduce, DType::boolean, {5}, 2)),
            "all_reduce of bool: a kernel reduces numbers; convert to u8 and use max for or, min for and");
  EXPECT_EQ(
      why_not(spec_for(CollectiveKind::reduce_scatter, DType::complex64, {5}, 2)),
      "reduce_scatter of complex64: a kernel reduces real numbers; reduce real and imaginary parts as f32");
}

TEST(eligible, a_reduction_is_named_where_there_is_one) {
  CollectiveSpec sum = spec_for(CollectiveKind::all_reduce, DType::i32, {5}, 2);
  sum.reduction.reset();
  EXPECT_EQ(why_not(sum), "all_reduce without a reduction; name sum, max or min");
  sum.reduction = ReduceKind::logical_or;
  EXPECT_EQ(why_not(sum), "kernels reduce by sum, max and min, not by or; convert 0 and 1 to u8 and use max");
  CollectiveSpec gather = gather_of(DType::i32, {5}, 2);
  gather.reduction = ReduceKind::sum;
  EXPECT_EQ(why_not(gather), "all_gather only moves data and has no reduction; leave sum out");
}

TEST(eligible, an_unknown_element_type_is_refused) {
  EXPECT_EQ(why_not(gather_of(static_cast<DType>(99), {4}, 2)),
            "element type 99 is unknown; elements have 1, 2, 4, 8 or 16 bytes, pack smaller ones in u8");
}

TEST(eligible, worlds_are_1_to_16) {
  for (CollectiveKind kind : all_collectives())
    for (int world = 1; world <= 16; ++world)
      EXPECT_EQ(why_not(spec_for(kind, DType::f32, {3}, world)), "eligible");
  EXPECT_EQ(why_not(gather_of(DType::f32, {3}, 17)),
            "groups of 17 ranks; kernels have 1 to 16, use the library for others");
  EXPECT_EQ(why_not(gather_of(DType::f32, {3}, 0)).substr(0, 17), "groups of 0 ranks");
}

TEST(eligible, groups_are_equal_in_size_and_name_each_rank_once) {
  CollectiveSpec spec = gather_of(DType::f32, {3}, 2);
  spec.groups = {{0, 1}, {2, 3, 4}};
  EXPECT_EQ(why_not(spec), "groups [[0, 1], [2, 3, 4]] have one of 3 ranks in a world of 2; kernels need "
                           "equal sizes, use the library");
  spec.groups = {{0, 1}, {2, 1}};
  EXPECT_EQ(why_not(spec), "groups [[0, 1], [2, 1]] name rank 1 twice; name each once");
  spec.groups = {{0, -1}};
  EXPECT_EQ(why_not(spec), "groups [[0, -1]] name rank -1; count from 0");
  spec.groups = {};
  EXPECT_EQ(why_not(spec), "no groups; write out the one group of all ranks");
}

TEST(eligible, pairs_belong_to_ppermute_and_name_each_place_once) {
  CollectiveSpec spec = spec_for(CollectiveKind::ppermute, DType::f32, {3}, 3);
  spec.pairs = {{0, 1}, {1, 2}, {2, 0}};
  EXPECT_EQ(why_not(spec), "eligible");
  spec.pairs = {{0, 1}, {2, 1}};
  EXPECT_EQ(why_not(spec), "pairs [(0, 1), (2, 1)]: (2, 1) names a source or target again; name each once");
  spec.pairs = {{0, 3}};
  EXPECT_EQ(why_not(spec), "pairs [(0, 3)] name place 3 in a world of 3; places are 0 to 2");
  spec = gather_of(DType::f32, {3}, 2);
  spec.pairs = {{0, 1}};
  EXPECT_EQ(why_not(spec), "all_gather has no pairs; leave them out");
}

TEST(eligible, dims_are_those_of_the_block) {
  EXPECT_EQ(why_not(gather_of(DType::f32, {}, 2)),
            "all_gather: dim 0 of a block [] with 0 dims; a new dim of blocks is a dim of 1 in the block");
  EXPECT_EQ(why_not(gather_of(DType::f32, {2, 2}, 2, Dim{-1})).substr(0, 22), "all_gather: dim -1 of ");
  EXPECT_EQ(why_not(spec_for(CollectiveKind::all_reduce, DType::f32, {}, 2)), "eligible");
  EXPECT_EQ(why_not(spec_for(CollectiveKind::all_reduce, DType::f32, {2, 2}, 2, Dim{1})),
            "all_reduce has no dim, but dim is 1; set it to 0");
  CollectiveSpec spec = gather_of(DType::f32, {2, 2}, 2);
  spec.concat = Dim{1};
  EXPECT_EQ(why_not(spec), "all_gather has no second dim; leave concat out");
  spec = spec_for(CollectiveKind::all_to_all, DType::f32, {2, 2}, 2, Dim{1});
  spec.concat = Dim{1};
  EXPECT_EQ(why_not(spec), "concat is dim 1, as dim is; leave it out");
  spec.concat = Dim{2};
  EXPECT_EQ(why_not(spec).substr(0, 21), "all_to_all: dim 2 of ");
}

TEST(eligible, any_size_that_offsets_can_count) {
  const std::int64_t big = std::int64_t{1} << 62, half = std::int64_t{1} << 31;
  EXPECT_EQ(why_not(gather_of(DType::u8, {0}, 2)), "eligible");
  EXPECT_EQ(why_not(gather_of(DType::f32, {half, half, 0}, 2, Dim{1})).substr(0, 15), "block f32[21474");
  EXPECT_EQ(why_not(gather_of(DType::u8, {half, 3}, 16)), "eligible");
  EXPECT_EQ(why_not(gather_of(DType::u8, {big}, 1)), "block u8[4611686018427387904] of 1 ranks: offsets in "
                                                     "two staging halves do not fit 63 bits; use smaller "
                                                     "blocks");
  EXPECT_NE(why_not(gather_of(DType::f64, {half, half}, 16)), "eligible");
  EXPECT_NE(why_not(gather_of(DType::f64, {half, half, half, half}, 16)), "eligible");
  EXPECT_EQ(why_not(gather_of(DType::f64, {-4}, 2)), "block [-4] has a negative size; sizes are 0 or more");
}

TEST(eligible, packets_are_small) {
  CollectiveSpec spec = gather_of(DType::f32, {16'384}, 2);
  spec.variant = Variant::packets;
  EXPECT_EQ(why_not(spec), "eligible");
  spec.shape = {16'385};
  EXPECT_EQ(why_not(spec), "packets of 65540 bytes, more than 65536; use another variant of all_gather");
}

// Behaviour 5: no variant is dead, and an illegal one is refused by name.
TEST(behaviour_5, every_variant_is_that_of_some_collective) {
  for (Variant variant : all_variants()) {
    int kinds = 0;
    for (CollectiveKind kind : all_collectives()) {
      CollectiveSpec spec = spec_for(kind, DType::f32, {8}, 2);
      spec.variant = variant;
      kinds += bool(eligible(spec));
    }
    EXPECT_GT(kinds, 0) << name(variant);
    EXPECT_EQ(kinds == 5, variant == Variant::two_launches) << name(variant);
  }
  CollectiveSpec sum = spec_for(CollectiveKind::all_reduce, DType::f32, {8}, 2);
  sum.variant = Variant::swizzled;
  EXPECT_EQ(why_not(sum),
            "all_reduce has no variant swizzled; use one_shot, two_shot, two_launches, packets");
}

TEST(eligible, refuses_packets_where_a_source_does_not_hear_from_its_target) {
  CollectiveSpec shift = spec_for(CollectiveKind::ppermute, DType::f32, {8}, 3);
  shift.variant = Variant::packets;
  EXPECT_EQ(
      why_not(shift),
      "packets of ppermute: a source does not hear that its target has read the last ones; use standard");
}

// D14: of the sizes up to 2048 that divide by 4, XLA's tiles fit 10; the others were errors when compiled.
TEST(d14, every_size_has_a_kernel_whose_tiles_cover_it) {
  for (std::int64_t size = 0; size <= 2048; ++size) {
    const CollectiveSpec spec = gather_of(DType::f32, {size}, 2);
    ASSERT_EQ(why_not(spec), "eligible");
    const Launch launch = launch_of(spec, Target::nvidia);
    std::int64_t next = 0;
    for (std::int64_t tile = 0; tile < launch.tiles(); ++tile) {
      ASSERT_EQ(range_of(launch, tile).begin, next);
      next = range_of(launch, tile).end;
    }
    ASSERT_EQ(next, size);
  }
}

}  // namespace
}  // namespace tutti::kernels
