// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler takes our PTX, and needs neither the stack nor more registers than resident blocks may
// have.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "tests/kernels/ptx_kernels.hpp"
#include "tests/kernels/ptxas.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

constexpr int registers_of_a_processor = 65'536;

/// Many kernels in one module: starting the assembler takes longer than a kernel.
class Modules {
 public:
  explicit Modules(PtxTarget target) : target_(target), text_(ptx_header(target)) {}

  void add(const Manifest& manifest) {
    for (Function kernel : emit(manifest)) {
      kernel.name = fmt::format("{}_{}_{}", kernel.name, name(manifest.encoding), threads_.size());
      text_ += ptx_entry(kernel, {target_, manifest.launch.warps});
      threads_[kernel.name] = manifest.launch.warps * 32;
    }
  }

  void expect_taken(const std::string& ptxas, const std::string& architecture) const {
    const Assembly assembly = assemble(ptxas, text_, architecture);
    EXPECT_EQ(assembly.errors, "");
    ASSERT_EQ(assembly.entries.size(), threads_.size());
    for (const Assembled& entry : assembly.entries) {
      EXPECT_EQ(entry.stack_bytes, 0) << entry.entry;
      EXPECT_EQ(entry.spill_bytes, 0) << entry.entry;
      EXPECT_GT(entry.registers, 0) << entry.entry;
      EXPECT_LE(entry.registers * threads_.at(entry.entry), registers_of_a_processor) << entry.entry;
      if (std::getenv("TUTTI_PRINT") != nullptr)
        fmt::print("{} {}: {} registers, {} threads\n", architecture, entry.entry, entry.registers,
                   threads_.at(entry.entry));
    }
  }

 private:
  PtxTarget target_;
  std::string text_;
  std::map<std::string, int> threads_;
};

/// A shape whose kernel has every path: many tiles of each size that the policy knows, and a tail.
Shape shape_of(Variant variant, int turn) {
  if (variant == Variant::packets) return turn % 2 == 0 ? Shape{3, 333} : Shape{4096};
  static const Shape all[] = {{1000, 1000}, {3, 50}, {1 << 22}, {5, 77777}};
  return all[turn % 4];
}

void expect_all_taken(PtxTarget target, const std::string& architecture) {
  const std::optional<std::string> ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << no_ptxas;
  Modules modules(target);
  int turn = 0;
  for_all_variants([&](CollectiveKind kind, Variant variant, Encoding encoding) {
    for (DType dtype : dtypes_of(kind)) {
      ++turn;
      // The texts for both targets differ in their header only. Encodings that differ from poll take turns,
      // to save time.
      const bool is_turn_of_sm_90 = turn % 2 == 0;
      if (encoding != Encoding::poll && is_turn_of_sm_90 != (target == PtxTarget::sm_90)) continue;
      CollectiveSpec spec =
          variant_of(kind, variant, dtype, shape_of(variant, turn), turn % 5 == 0 ? 16 : 1 + turn % 8);
      if (has_dim(kind)) spec.dim = Dim{turn % spec.shape.rank()};
      if (!eligible(spec)) spec.shape = {64};
      modules.add(manifest_of(spec, Target::nvidia, encoding));
    }
  });
  modules.expect_taken(*ptxas, architecture);
}

TEST(ptx_assembly, every_kernel_for_sm_80) { expect_all_taken(PtxTarget::sm_80, "sm_80"); }
TEST(ptx_assembly, every_kernel_for_sm_90) { expect_all_taken(PtxTarget::sm_90, "sm_90"); }

// The assembler is asked in earnest.
TEST(ptx_assembly, an_instruction_that_is_none_is_refused) {
  const std::optional<std::string> ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << no_ptxas;
  const Assembly assembly =
      assemble(*ptxas,
               ptx_header(PtxTarget::sm_80) +
                   ".visible .entry k()\n{\n  ld.global.v3.b32 {%r1}, [%rd1];\n  ret;\n}\n",
               "sm_80");
  EXPECT_NE(assembly.errors, "");
}

}  // namespace
}  // namespace tutti::kernels
