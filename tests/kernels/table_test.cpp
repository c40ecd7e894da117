// SPDX-License-Identifier: Apache-2.0
// The end-to-end tests of XLA's all-gather kernels, with their shapes, types and groups, on the model of the
// GPUs. Each name has the name of the test there. Assertions on XLA's modules have no counterpart: that a
// gather is asynchronous, that layouts are normalised, and which custom call is in the optimised module.
#include <gtest/gtest.h>

#include "tests/kernels/specs.hpp"
#include "tutti/kernels/check/check.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/spec/element_type.hpp"

namespace tutti::kernels {
namespace {

constexpr DType all_of_supported_types[] = {DType::f32, DType::f16, DType::bf16,
                                            DType::i32, DType::i8,  DType::boolean};

EmittedKernels emitted(const CollectiveSpec& spec, Encoding encoding = Encoding::poll) {
  const Manifest manifest = manifest_of(spec, Target::nvidia, encoding);
  return {manifest, emit(manifest)};
}

/// Three calls of a gather, in a few schedules, give what its definition says: to the bit, as nothing is
/// computed.
void expect_right(const CollectiveSpec& spec) {
  for (Encoding encoding : all_encodings()) {
    const CheckReport report = check(emitted(spec, encoding), {.schedules = 2});
    EXPECT_TRUE(report) << to_string(spec) << "\n" << to_string(report);
  }
}

TEST(table, supported_types_2_gpus) {
  for (DType dtype : all_of_supported_types) expect_right(gather_of(dtype, {1024}, 2));
}

TEST(table, supported_types_of_matrices) {
  for (DType dtype : all_of_supported_types) expect_right(gather_of(dtype, {32, 64}, 2));
}

TEST(table, f32_8_gpus_all_replicas_one_group) { expect_right(gather_of(DType::f32, {1024}, 8)); }

// Ranks of a group find each other by the tables of the group: nothing of another group is reached.
TEST(table, f32_8_gpus_two_replicas_per_group) {
  CollectiveSpec spec = gather_of(DType::f32, {1024}, 2);
  spec.groups = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  expect_right(spec);
}

TEST(table, f32_2d) { expect_right(gather_of(DType::f32, {2, 512}, 4)); }
// 1,017 elements: XLA falls back to the library; here any size has a kernel.
TEST(table, f32_3d_odd) { expect_right(gather_of(DType::f32, {3, 3, 113}, 2)); }
TEST(table, f32_3d_pow2) { expect_right(gather_of(DType::f32, {8, 8, 16}, 2)); }
TEST(table, f32_2d_dim1) { expect_right(gather_of(DType::f32, {32, 32}, 4, Dim{1})); }
TEST(table, f32_3d_dim1) { expect_right(gather_of(DType::f32, {8, 8, 16}, 2, Dim{1})); }
TEST(table, f32_3d_dim2) { expect_right(gather_of(DType::f32, {8, 8, 16}, 2, Dim{2})); }
TEST(table, bf16_2_4_and_8_gpus) {
  for (int world : {2, 4, 8}) expect_right(gather_of(DType::bf16, {1024}, world));
}

DType moved(std::string_view type) { return std::get<DType>(element_type(type, CollectiveKind::all_gather)); }

TEST(table, f8_moves_as_bytes) {
  for (std::string_view type : {"f8E4M3FN", "f8E5M2"}) {
    ASSERT_EQ(moved(type), DType::u8);
    expect_right(gather_of(moved(type), {32, 64}, 2));
  }
}
TEST(table, s16) { expect_right(gather_of(DType::i16, {1024}, 2)); }

TEST(table, async_all_gather_triton_backend) { expect_right(gather_of(DType::f32, {1, 4}, 2)); }

// XLA widens s4 to s8 first. Here the user does: a kernel would store half bytes.
TEST(table, sub_byte_types_are_refused) {
  for (std::string_view type : {"s4", "i4", "u4", "f4E2M1FN"})
    for (CollectiveKind kind : all_collectives()) {
      const auto answer = element_type(type, kind);
      ASSERT_TRUE(std::holds_alternative<ElementRefusal>(answer));
      EXPECT_EQ(std::get<ElementRefusal>(answer).why,
                std::string(type) +
                    " has 4 bits: an address is that of a byte, and two ranks would store halves "
                    "of one; pack two in a u8");
    }
}

TEST(table, f8_is_not_reduced) {
  const auto answer = element_type("f8e5m2", CollectiveKind::all_reduce);
  EXPECT_EQ(std::get<ElementRefusal>(answer).why, "f8e5m2 moves, but kernels do not add it; convert to f16");
}

TEST(table, changed_dimension) {
  for (DType dtype : {DType::u32, DType::f32}) expect_right(gather_of(dtype, {2, 2, 3}, 2, Dim{1}));
}

TEST(table, multi_tile) { expect_right(gather_of(DType::f32, {4096}, 2)); }
TEST(table, multi_row) { expect_right(gather_of(DType::f32, {4, 4}, 2)); }

// The unit tests of XLA's info builder: 3 devices, u32 and 7 elements have kernels here.
TEST(table, info_builder) {
  for (const CollectiveSpec& spec :
       {gather_of(DType::f32, {1024}, 2), gather_of(DType::bf16, {1024}, 2), gather_of(DType::f32, {1024}, 4),
        gather_of(DType::f32, {1024}, 3), gather_of(DType::u32, {1024}, 2), gather_of(DType::f32, {7}, 2)})
    EXPECT_TRUE(eligible(spec)) << to_string(spec);
  CollectiveSpec no_groups = gather_of(DType::f32, {1024}, 2);
  no_groups.groups.clear();
  EXPECT_EQ(eligible(no_groups).refusal, "no groups; write out the one group of all ranks");
}

// Cases that the other tests do not try.
TEST(gaps, scalars_and_blocks_without_elements) {
  for (const Shape& shape : {Shape{1}, Shape{1, 1}, Shape{0}, Shape{3, 0}})
    expect_right(gather_of(DType::f32, shape, 3));
}

TEST(gaps, worlds_that_are_no_power_of_two) {
  for (int world : {1, 3, 5, 6, 7, 11, 16}) expect_right(gather_of(DType::f32, {600}, world));
}

TEST(gaps, extents_that_no_tile_divides) {
  for (std::int64_t size : {12, 1000, 3072}) expect_right(gather_of(DType::f32, {size}, 2));
  for (int dim = 0; dim < 5; ++dim) expect_right(gather_of(DType::f32, {2, 3, 1, 5, 7}, 3, Dim{dim}));
}

/// Gathers of several sizes, also above 256 KiB and without elements, one after the other on one group.
std::vector<EmittedKernels> of_several_sizes(Encoding encoding) {
  std::vector<EmittedKernels> all;
  for (std::int64_t size : {1000, 70'000, 4, 0, 4096})
    all.push_back(emitted(gather_of(DType::f32, {size}, 2), encoding));
  return all;
}

TEST(gaps, calls_of_changing_size_share_the_staging) {
  for (Encoding encoding : all_encodings()) {
    const CheckReport report =
        check(of_several_sizes(encoding), {.calls = 10, .schedules = 2, .most_delay = 50});
    EXPECT_TRUE(report) << to_string(report);
  }
}

TEST(gaps, kernels_of_all_kinds_share_pads_and_staging) {
  std::vector<EmittedKernels> all;
  for (Encoding encoding : all_encodings())
    for (CollectiveKind kind : all_collectives())
      for (Variant variant : variants_of(kind)) {
        CollectiveSpec spec =
            spec_for(kind, DType::f32, {static_cast<std::int64_t>(7 + 40 * all.size() % 13)}, 3);
        if (kind == CollectiveKind::ppermute) spec.pairs = {{0, 1}, {1, 2}};
        spec.variant = variant;
        all.push_back(emitted(spec, encoding));
      }
  const int calls = static_cast<int>(all.size());
  const CheckReport report = check(all, {.calls = calls, .schedules = 20, .most_delay = 50});
  EXPECT_TRUE(report) << to_string(report);
}

TEST(gaps, numbers_wrap) {
  for (std::uint32_t first : {0x7fff'fffdU, 0xffff'fffdU})
    for (Encoding encoding : all_encodings()) {
      const CheckReport report = check(emitted(gather_of(DType::f32, {1000}, 3), encoding),
                                       {.calls = 8, .schedules = 4, .first_sequence = first});
      EXPECT_TRUE(report) << to_string(report);
    }
}

TEST(gaps, a_rank_that_leaves_early_is_a_time_out) {
  for (Encoding encoding : all_encodings()) {
    const CheckReport report = check(emitted(gather_of(DType::f32, {1000}, 3), encoding),
                                     {.schedules = 4, .wait_limit = 100, .absent = Absence{1, 1}});
    EXPECT_TRUE(report) << to_string(report);
    EXPECT_GT(report.timeouts, 0);
  }
}

}  // namespace
}  // namespace tutti::kernels
