// SPDX-License-Identifier: Apache-2.0
// The texts of about a hundred kernels are those that Triton has compiled. TUTTI_PRINT=1 writes the list and
// the texts anew; `make triton` then compiles them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>

#include "tests/kernels/goldens.hpp"
#include "tests/kernels/parse/kernel_from_text.hpp"
#include "tests/support/file_text.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/text.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

bool prints() { return std::getenv("TUTTI_PRINT") != nullptr; }

void for_all_goldens(const std::function<void(const Golden&, const Function&)>& f) {
  for (Target target : {Target::nvidia, Target::amd})
    for (const Golden& golden : goldens(target))
      for (const Function& kernel : golden.kernels) f(golden, kernel);
}

TEST(kernel_golden, texts_are_those_of_the_list) {
  const std::vector<GoldenLine> before = golden_lines();
  std::vector<GoldenLine> now;
  for_all_goldens([&](const Golden& golden, const Function& kernel) {
    const Target target = golden.manifest.target;
    GoldenLine line{kernel.name, std::string(name(target)), hash_of(triton_text(kernel))};
    const std::optional<GoldenLine> known = golden_line(before, kernel.name, target);
    const bool is_same = known && known->text_hash == line.text_hash;
    if (is_same) line.shared_bytes = known->shared_bytes;
    now.push_back(line);
    EXPECT_TRUE(is_same || prints()) << kernel.name << " for " << name(target) << " has another text";
  });
  if (prints()) return write_golden_list(now);
  EXPECT_EQ(before.size(), now.size()) << golden_list << " has kernels that are no more";
}

TEST(kernel_golden, triton_has_compiled_every_text_of_the_list) {
  if (prints()) GTEST_SKIP() << "the list is being written";
  for (const GoldenLine& line : golden_lines())
    EXPECT_TRUE(line.shared_bytes) << line.entry << " for " << line.target << ": run make triton";
}

TEST(kernel_golden, some_texts_stand_there_whole) {
  std::set<Variant> variants;
  for_all_goldens([&](const Golden& golden, const Function& kernel) {
    if (!golden.is_shown) return;
    variants.insert(golden.manifest.spec.variant);
    const std::string path = "tests/kernels/golden/" + kernel.name + ".ttir";
    if (prints()) std::ofstream(path) << triton_text(kernel);
    EXPECT_EQ(text_of_file(path), triton_text(kernel)) << path;
  });
  EXPECT_EQ(variants.size(), all_variants().size());
}

TEST(kernel_golden, are_of_every_collective_variant_and_encoding) {
  std::set<std::tuple<CollectiveKind, Variant, Encoding>> seen;
  std::set<std::string> names;
  for (const Golden& golden : goldens(Target::nvidia)) {
    const Manifest& manifest = golden.manifest;
    seen.emplace(manifest.spec.kind, manifest.spec.variant, manifest.encoding);
    EXPECT_TRUE(names.insert(manifest.name).second) << manifest.name;
  }
  EXPECT_GE(names.size(), 90U);
  for (CollectiveKind kind : all_collectives())
    for (Variant variant : variants_of(kind))
      for (Encoding encoding : all_encodings())
        EXPECT_TRUE(seen.contains({kind, variant, variant == Variant::packets ? Encoding::poll : encoding}))
            << name(kind) << " " << name(variant) << " " << name(encoding);
}

TEST(kernel_golden, both_texts_are_read_back_as_the_same_kernel) {
  for_all_goldens([](const Golden&, const Function& kernel) {
    const std::string triton = triton_text(kernel), generic = mlir_generic_text(kernel);
    for (const std::string& text : {triton, generic}) {
      const Function read = kernel_from_text(text);
      EXPECT_EQ(triton_text(read), triton) << kernel.name;
      EXPECT_EQ(mlir_generic_text(read), generic) << kernel.name;
    }
  });
}

}  // namespace
}  // namespace tutti::kernels
