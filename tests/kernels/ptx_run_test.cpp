// SPDX-License-Identifier: Apache-2.0
// Our PTX does what collectives are defined to do: every kernel runs on a model of the instructions.
#include <gtest/gtest.h>

#include "tests/kernels/ptx_group.hpp"
#include "tests/kernels/ptx_kernels.hpp"
#include "tests/kernels/specs.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"

namespace tutti::kernels {
namespace {

void expect_right(const Manifest& manifest, const PtxRun& run = {}) {
  const PtxOutcome outcome = run_ptx(manifest, run);
  EXPECT_EQ(outcome.fault, "") << to_string(manifest.spec) << ", " << name(manifest.encoding);
  EXPECT_EQ(outcome.timeouts, 0) << to_string(manifest.spec);
}

// 150 f32 are a full tile of one warp and a tail of 22; rows of 50 begin at odd offsets.
TEST(ptx_run, every_kernel_gives_what_the_definition_says) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    int turn = 0;
    for (DType dtype : dtypes_of(kind)) {
      CollectiveSpec spec = variant_of(kind, variant, dtype, {3, 50}, 1 + turn % 3);
      if (has_dim(kind)) spec.dim = Dim{turn % 2};
      ++turn;
      expect_right(small_manifest(spec, encoding), {.calls = 2, .seed = static_cast<std::uint32_t>(turn)});
    }
  });
}

// Threads that hold copies, several vectors of a thread, more elements than a tile by one.
TEST(ptx_run, blocks_of_several_warps_and_unrolled_tiles) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    for (const auto& [warps, unroll] : {std::pair(4, 1), std::pair(1, 4), std::pair(2, 2)}) {
      const DType dtype = warps == 2 ? DType::f16 : DType::f32;
      const std::int64_t elements = std::int64_t{warps} * 32 * unroll * (dtype == DType::f16 ? 8 : 4) + 1;
      const CollectiveSpec spec = variant_of(kind, variant, dtype, {elements}, 2);
      expect_right(small_manifest(spec, encoding, warps, unroll), {.calls = 1});
    }
  });
}

TEST(ptx_run, every_world_to_16) {
  for (int world = 4; world <= 16; ++world)
    for (CollectiveKind kind : all_collectives()) {
      const Encoding encoding = all_encodings()[static_cast<std::size_t>(world) % all_encodings().size()];
      const CollectiveSpec spec = variant_of(kind, variants_of(kind).front(), DType::i16, {5}, world);
      expect_right(small_manifest(spec, encoding), {.calls = 1});
    }
}

TEST(ptx_run, sizes_around_a_vector_and_a_tile) {
  for (DType dtype : {DType::u8, DType::bf16, DType::f32, DType::f64})
    for (const std::int64_t n : {1, 2, 3, 4, 7, 8, 9, 17, 31, 64, 65, 129, 513})
      for (Variant variant : {Variant::standard, Variant::packets}) {
        CollectiveSpec spec = gather_of(dtype, {n}, 2);
        spec.variant = variant;
        expect_right(small_manifest(spec, Encoding::poll), {.calls = 1});
        spec = variant_of(CollectiveKind::all_reduce, Variant::two_shot, dtype, {n}, 3);
        expect_right(small_manifest(spec, Encoding::threads), {.calls = 1});
      }
}

// The second dim moves blocks into rows of 3 x 7 elements, or of 3 x 8: these are aligned, those are not.
TEST(ptx_run, exchanges_between_dims) {
  for (DType dtype : {DType::u8, DType::f32})
    for (const Shape& shape : {Shape{4, 7}, Shape{4, 8}, Shape{2, 3, 16}})
      for (Variant variant : variants_of(CollectiveKind::all_to_all)) {
        CollectiveSpec spec = variant_of(CollectiveKind::all_to_all, variant, dtype, shape, 3);
        spec.concat = Dim{1};
        expect_right(small_manifest(spec, Encoding::poll), {.calls = 2});
      }
}

TEST(ptx_run, max_and_min_of_every_number) {
  for (ReduceKind reduction : {ReduceKind::max, ReduceKind::min})
    for (DType dtype : {DType::u8, DType::i8, DType::u16, DType::i16, DType::u32, DType::i32, DType::u64,
                        DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64}) {
      CollectiveSpec spec = variant_of(CollectiveKind::all_reduce, Variant::one_shot, dtype, {70}, 3);
      spec.reduction = reduction;
      expect_right(small_manifest(spec, Encoding::threads), {.calls = 1});
    }
}

TEST(ptx_run, sequence_numbers_wrap) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    const Manifest manifest = small_manifest(variant_of(kind, variant, DType::f32, {9}, 2), encoding);
    for (const std::uint32_t first : {0xFFFF'FFFEU, 0x7FFF'FFFEU})
      expect_right(manifest, {.calls = 4, .first_sequence = first});
  });
}

TEST(ptx_run, sm_90_and_launches_by_policy) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    const CollectiveSpec spec = variant_of(kind, variant, DType::u8, {41, 101}, 2);
    expect_right(manifest_of(spec, Target::nvidia, encoding), {.target = PtxTarget::sm_90, .calls = 1});
  });
}

/// Polls, or the machine's instructions for Encoding::poll: more than ranks that are there need.
std::int64_t patience(const Manifest& manifest) {
  if (manifest.spec.variant == Variant::packets) return 100;
  switch (manifest.encoding) {
    case Encoding::threads: return 3000;
    case Encoding::atomics: return 100;
    case Encoding::poll: break;
  }
  return 100'000;
}

TEST(ptx_run, waits_for_an_absent_rank_are_given_up_and_reported) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    const Manifest manifest = small_manifest(variant_of(kind, variant, DType::f32, {9}, 3), encoding);
    const PtxOutcome outcome = run_ptx(manifest, {.calls = 2, .wait_limit = patience(manifest), .absent = 1});
    EXPECT_EQ(outcome.fault, "") << to_string(manifest.spec) << ", " << name(encoding);
    EXPECT_EQ(outcome.timeouts, 2) << to_string(manifest.spec) << ", " << name(encoding);
  });
}

// --- The model sees defects --------------------------------------------------------------------------------

/// Planted wherever the text has it.
struct Planted {
  std::string_view found, replacement;
};

std::string fault_with(const Manifest& manifest, const Planted& defect) {
  std::string ptx = ptx_text(manifest, PtxTarget::sm_80);
  std::size_t at = ptx.find(defect.found);
  EXPECT_NE(at, std::string::npos) << defect.found;
  for (; at != std::string::npos; at = ptx.find(defect.found, at + defect.replacement.size()))
    ptx.replace(at, defect.found.size(), defect.replacement);
  return run_ptx(manifest, {.calls = 1, .ptx = ptx, .most_steps = 2'000'000}).fault;
}

TEST(ptx_run, notices_wrong_instructions) {
  const Manifest gather = small_manifest(gather_of(DType::f32, {150}, 2), Encoding::poll);
  EXPECT_EQ(fault_with(gather, {"ret;", "ret;"}), "");
  for (const Planted& defect :
       std::vector<Planted>{{"%r4, %r1, 4;", "%r4, %r1, 3;"},  // an address that is no multiple of 16
                            {", 150;", ", 160;"},              // a tail longer by one pair
                            {"st.global.v4.b32 [%rd15]", "st.global.v4.b32 [%rd15+16]"},
                            {"ld.param.b64 %rd2, [p_output]", "ld.param.b64 %rd2, [p_input]"},
                            {"], %r6;", "], %r7;"},
                            {"add.s32", "sub.s32"}})
    EXPECT_NE(fault_with(gather, defect), "") << defect.found;
}

TEST(ptx_run, notices_a_barrier_that_only_some_threads_reach) {
  const Manifest gather = small_manifest(gather_of(DType::f32, {150}, 2), Encoding::poll);
  const std::string fault = fault_with(gather, {"  bar.sync 0;", "  @%p1 bar.sync 0;"});
  EXPECT_NE(fault.find("not all threads come to the barrier"), std::string::npos) << fault;
}

TEST(ptx_run, notices_threads_that_wait_for_ever) {
  const Manifest gather = small_manifest(gather_of(DType::f32, {150}, 2), Encoding::threads);
  EXPECT_EQ(fault_with(gather, {"st.release.sys.global.u32", "//"}).substr(0, 12), "no end after");
}

}  // namespace
}  // namespace tutti::kernels
