// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cells.hpp"

#include <fmt/format.h>

#include "tests/kernels/specs.hpp"
#include "tutti/kernels/emit/emit.hpp"

namespace tutti::kernels {
namespace {

Pairs broken_ring(int world) {
  Pairs pairs;
  for (int rank = 0; rank + 1 < world; ++rank) pairs.emplace_back(rank, rank + 1);
  if (world == 2) pairs.emplace_back(1, 0);
  return pairs;
}

}  // namespace

std::string to_string(const Cell& cell) {
  return to_string(cell.spec) + ", " + std::string(name(cell.encoding));
}

std::string identifier(const Cell& cell) {
  const CollectiveSpec& spec = cell.spec;
  return fmt::format("{}_{}_{}_{}_dim_{}_world_{}", name(spec.kind), name(spec.variant), name(cell.encoding),
                     tutti::name(spec.dtype), spec.dim.index, spec.world);
}

std::vector<CollectiveSpec> specs_of(DType dtype, const Shape& shape, Dim dim, int world) {
  std::vector<CollectiveSpec> specs;
  for (CollectiveKind kind : all_collectives())
    for (Variant variant : variants_of(kind)) {
      CollectiveSpec spec = spec_for(kind, dtype, shape, world, has_dim(kind) ? dim : Dim{});
      spec.variant = variant;
      if (kind == CollectiveKind::ppermute) spec.pairs = broken_ring(world);
      if (eligible(spec)) specs.push_back(std::move(spec));
    }
  return specs;
}

std::vector<Cell> cells_of(DType dtype, const Shape& shape, Dim dim, int world) {
  std::vector<Cell> cells;
  for (const CollectiveSpec& spec : specs_of(dtype, shape, dim, world))
    for (Encoding encoding : all_encodings())
      if (spec.variant != Variant::packets || encoding == Encoding::poll) cells.push_back({spec, encoding});
  return cells;
}

EmittedKernels small_kernels(const Cell& cell, Size size) {
  Launch launch{.elements = visited_elements(cell.spec, view_of(cell.spec)), .tile_elements = size.tile};
  launch.grid = static_cast<int>(std::min<std::int64_t>(launch.tiles(), size.blocks));
  const Manifest manifest = manifest_of(cell.spec, Target::nvidia, cell.encoding, launch);
  return {manifest, emit(manifest)};
}

}  // namespace tutti::kernels
