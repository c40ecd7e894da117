// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/emit/emit.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/kernels/specs.hpp"

namespace tutti::kernels {
namespace {

void for_all_kernels(const std::function<void(const Manifest&)>& f) {
  for (CollectiveKind kind : all_collectives())
    for (Variant variant : all_variants())
      for (DType dtype : {DType::u8, DType::bf16, DType::f32, DType::f64})
        for (const Shape& shape : {Shape{3, 5}, Shape{0, 2}, Shape{2048, 7}})
          for (int world : {1, 2, 3, 8}) {
            CollectiveSpec spec = spec_for(kind, dtype, shape, world);
            spec.variant = variant;
            if (kind == CollectiveKind::ppermute && world > 1) spec.pairs = {{0, 1}, {1, 0}};
            if (kind == CollectiveKind::all_to_all) spec.concat = Dim{1};
            if (eligible(spec))
              for (Encoding encoding : all_encodings()) f(manifest_of(spec, Target::nvidia, encoding));
          }
}

// Builder::finish() verifies types and the protocol.
TEST(emit, writes_a_kernel_for_each_entry_with_the_manifests_arguments) {
  for_all_kernels([](const Manifest& manifest) {
    const std::vector<Function> kernels = emit(manifest);
    ASSERT_EQ(kernels.size(), manifest.entries.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_EQ(kernels[i].name, manifest.entries[i]);
      ASSERT_EQ(kernels[i].arguments.size(), manifest.arguments.size());
      for (std::size_t k = 0; k < manifest.arguments.size(); ++k)
        EXPECT_EQ(kernels[i].arguments[k].name, name(manifest.arguments[k].kind));
    }
  });
}

}  // namespace
}  // namespace tutti::kernels
