// SPDX-License-Identifier: Apache-2.0
// The text of our PTX keeps the rules that no GPU would show to be broken, and each rule sees its defect.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "tests/kernels/ptx_kernels.hpp"
#include "tests/kernels/ptx_rules.hpp"
#include "tests/kernels/specs.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"

namespace tutti::kernels {
namespace {

std::string faults_of(const std::string& ptx, const Manifest& manifest) {
  return fmt::format("{}", fmt::join(ptx_faults(ptx, manifest), "\n"));
}

TEST(ptx_rules, hold_for_every_kernel) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    for (const Shape& shape : {Shape{1024}, Shape{3, 50}, Shape{0}})
      for (int world : {1, 3}) {
        const CollectiveSpec spec = variant_of(kind, variant, DType::f32, shape, world);
        const Manifest manifest = manifest_of(spec, Target::nvidia, encoding);
        const PtxTarget target = world == 1 ? PtxTarget::sm_80 : PtxTarget::sm_90;
        EXPECT_EQ(faults_of(ptx_text(manifest, target), manifest), "")
            << to_string(spec) << ", " << name(encoding);
      }
  });
}

/// The text without its `nth` occurrence of `found`, from 0.
std::string changed(std::string ptx, std::string_view found, std::string_view replacement, int nth = 0) {
  std::size_t at = ptx.find(found);
  for (; nth > 0 && at != std::string::npos; --nth) at = ptx.find(found, at + 1);
  if (at == std::string::npos) return "there is no " + std::string(found);
  return ptx.replace(at, found.size(), replacement);
}

struct Sample {
  explicit Sample(Encoding encoding, Variant variant = Variant::standard) {
    CollectiveSpec spec = gather_of(DType::f32, {1024}, 2);
    spec.variant = variant;
    manifest = manifest_of(spec, Target::nvidia, encoding);
    ptx = ptx_text(manifest, PtxTarget::sm_80);
  }
  std::string with(std::string_view found, std::string_view replacement, int nth = 0) const {
    return faults_of(changed(ptx, found, replacement, nth), manifest);
  }

  Manifest manifest;
  std::string ptx;
};

TEST(ptx_rules, see_an_access_that_is_not_coherent) {
  EXPECT_NE(Sample(Encoding::poll).with("ld.global.v4", "ld.global.nc.v4").find("is not coherent"),
            std::string::npos);
}

TEST(ptx_rules, see_a_modifier_that_they_do_not_know) {
  EXPECT_NE(
      Sample(Encoding::poll).with("ld.global.v4", "ld.global.L1::no_allocate.v4").find("unknown modifier"),
      std::string::npos);
}

TEST(ptx_rules, see_a_scope_that_peers_do_not_share) {
  for (Encoding encoding : all_encodings())
    for (const char* scope : {"release.gpu", "release.cta"})
      EXPECT_NE(Sample(encoding).with("release.sys", scope).find("its scope must be .sys"),
                std::string::npos);
  EXPECT_NE(Sample(Encoding::poll).with("acquire.sys", "acquire.gpu").find("its scope must be .sys"),
            std::string::npos);
}

TEST(ptx_rules, see_a_relaxed_signal_or_wait) {
  for (Encoding encoding : all_encodings()) {
    EXPECT_NE(Sample(encoding).with("release.sys", "relaxed.sys").find("releases 0 times"),
              std::string::npos);
    EXPECT_NE(Sample(encoding).with("acquire.sys", "relaxed.sys").find("acquires 0 times"),
              std::string::npos);
  }
  EXPECT_NE(Sample(Encoding::poll).with("st.release.sys", "st.relaxed.sys").find("signals without a release"),
            std::string::npos);
}

TEST(ptx_rules, see_a_signal_without_a_barrier_before_it) {
  for (Encoding encoding : all_encodings())
    for (Variant variant : {Variant::standard, Variant::push, Variant::two_launches}) {
      Sample sample(encoding, variant);
      const std::size_t signal = sample.ptx.rfind("release.sys");
      sample.ptx.erase(sample.ptx.rfind("bar.sync 0;", signal), 11);
      EXPECT_NE(faults_of(sample.ptx, sample.manifest).find("signals without a bar.sync before it"),
                std::string::npos)
          << name(encoding) << " " << name(variant);
    }
}

TEST(ptx_rules, see_a_wait_without_a_barrier_after_it) {
  const Sample sample(Encoding::threads);
  EXPECT_NE(sample.with("bar.sync 0;\n", "\n", 3).find("follows a wait without a bar.sync between them"),
            std::string::npos);
  const Sample push(Encoding::threads, Variant::push);
  EXPECT_NE(push.with("bar.sync 0;\n", "\n", 5).find("ends the kernel without a bar.sync after a wait"),
            std::string::npos)
      << push.ptx;
}

TEST(ptx_rules, see_a_path_around_a_barrier) {
  const Sample sample(Encoding::threads);
  EXPECT_NE(sample.with("bar.sync 0;\n", "@%p1 bra.uni LX;\n  bar.sync 0;\nLX:\n", 2).find("signals without"),
            std::string::npos);
}

TEST(ptx_rules, see_a_packet_that_is_torn) {
  const Sample sample(Encoding::poll, Variant::packets);
  EXPECT_NE(
      sample.with("st.relaxed.sys.global.b64", "st.relaxed.sys.global.b32").find("signals without a release"),
      std::string::npos);
}

TEST(ptx_rules, see_a_missing_entry) {
  const Sample sample(Encoding::poll, Variant::two_launches);
  EXPECT_NE(faults_of(sample.ptx.substr(0, sample.ptx.rfind(".visible")), sample.manifest)
                .find("number of entries"),
            std::string::npos);
}

// --- Vectors -----------------------------------------------------------------------------------------------

TEST(ptx_rules, full_tiles_of_every_kernel_move_16_bytes_at_once) {
  for_all_variants([](CollectiveKind kind, Variant variant, Encoding encoding) {
    if (variant == Variant::packets) return;
    for (DType dtype : {DType::u8, DType::bf16, DType::f32}) {
      const CollectiveSpec spec = variant_of(kind, variant, dtype, {1 << 16}, 2);
      const PtxWidths widths =
          payload_widths(ptx_text(manifest_of(spec, Target::nvidia, encoding), PtxTarget::sm_80),
                         static_cast<int>(bytes_per_element(dtype)) * 8);
      EXPECT_GT(widths.of_16_bytes, 0) << to_string(spec);
      EXPECT_EQ(widths.narrower, 0) << to_string(spec);
    }
  });
}

// A tail has accesses of its own. Rows of 32 bytes stay aligned in other rows; rows of 7 do not.
TEST(ptx_rules, tails_and_odd_rows_move_less_at_once) {
  const auto widths_of = [](const Shape& shape, int dim) {
    const CollectiveSpec spec = gather_of(DType::u8, shape, 2, Dim{dim});
    return payload_widths(ptx_text(manifest_of(spec, Target::nvidia), PtxTarget::sm_80), 8);
  };
  EXPECT_GT(widths_of({4097}, 0).of_16_bytes, 0);
  EXPECT_GT(widths_of({4097}, 0).narrower, 0);
  EXPECT_EQ(widths_of({64, 32}, 1).narrower, 0);
  EXPECT_GT(widths_of({64, 7}, 1).narrower, 0);
}

}  // namespace
}  // namespace tutti::kernels
