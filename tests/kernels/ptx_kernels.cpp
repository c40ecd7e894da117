// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptx_kernels.hpp"

#include <algorithm>

#include "tests/kernels/specs.hpp"
#include "tests/support/sanitizer.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {

void for_all_variants(const std::function<void(CollectiveKind, Variant, Encoding)>& f) {
  const int step =
      has_sanitizer() ? 4 : 1;  // sanitizers take ten times as long, and see the same code in each
  int number = 0;
  for (CollectiveKind kind : all_collectives())
    for (Variant variant : variants_of(kind))
      for (Encoding encoding : all_encodings())
        if ((variant != Variant::packets || encoding == Encoding::poll) && number++ % step == 0)
          f(kind, variant, encoding);
}

std::span<const DType> dtypes_of(CollectiveKind kind) {
  static constexpr DType moved[] = {DType::u8, DType::bf16, DType::f32, DType::i64, DType::complex128};
  static constexpr DType reduced[] = {DType::u8,  DType::i16, DType::f16, DType::bf16,
                                      DType::f32, DType::f64, DType::i64, DType::u32};
  return is_reduction(kind) ? std::span<const DType>(reduced) : moved;
}

CollectiveSpec variant_of(CollectiveKind kind, Variant variant, DType dtype, Shape shape, int world) {
  CollectiveSpec spec = spec_for(kind, dtype, std::move(shape), world);
  spec.variant = variant;
  if (kind == CollectiveKind::ppermute)
    for (int source = 0; source + 1 < world; ++source) spec.pairs.emplace_back(source, source + 1);
  return spec;
}

Manifest small_manifest(const CollectiveSpec& spec, Encoding encoding, int warps, int unroll) {
  const CanonicalView view = view_of(spec);
  Launch launch{.warps = warps, .unroll = unroll, .elements = visited_elements(spec, view)};
  launch.tile_elements = std::int64_t{warps} * 32 * unroll * alignment_bytes * 8 / view.moved.bits;
  launch.grid = static_cast<int>(std::min<std::int64_t>(launch.tiles(), 2));
  return manifest_of(spec, Target::nvidia, encoding, launch);
}

}  // namespace tutti::kernels
