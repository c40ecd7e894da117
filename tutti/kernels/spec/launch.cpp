// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/launch.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

int warps_for(std::int64_t bytes, Target target) {
  const int wanted = bytes <= (32 << 10) ? 4 : bytes <= (1 << 20) ? 8 : 16;
  return std::min(wanted, most_threads / threads_per_warp(target));
}

/// The most elements that one thread may hold before ptxas spills registers: 16 if each element has its own
/// address or mask, because rows or parts are no multiples of a vector.
std::int64_t most_held(const CollectiveSpec& spec, const CanonicalView& view) {
  const std::int64_t vector = alignment_bytes * 8 / view.moved.bits;
  const auto is_odd = [&](const BlockedArray& array) {
    return array.blocks > 1 && array.inner % vector != 0;
  };
  const bool has_odd_part = spec.variant == Variant::two_shot && view.elements % vector != 0;
  return has_odd_part || is_odd(view.operand) || is_odd(view.result) ? 16 : 4 * vector;
}

}  // namespace

std::int64_t visited_elements(const CollectiveSpec& spec, const CanonicalView& view) {
  if (spec.variant != Variant::two_shot) return view.elements;
  const std::int64_t unit = alignment_bytes * 8 / view.moved.bits;
  const std::int64_t units = view.elements == 0 ? 0 : (view.elements - 1) / unit + 1;
  return (units + spec.world - 1) / spec.world * unit;
}

std::int64_t slice_elements(const CanonicalView& view, const Launch& launch) {
  const std::int64_t unit = alignment_bytes * 8 / view.moved.bits;
  return (launch.elements + unit - 1) / unit * unit;
}

Launch launch_of(const CollectiveSpec& spec, Target target) {
  const CanonicalView view = view_of(spec);
  Launch launch{.warps = warps_for(view.block_bytes(), target), .elements = visited_elements(spec, view)};
  const std::int64_t threads = std::int64_t{launch.warps} * threads_per_warp(target);
  const std::int64_t once = threads * alignment_bytes * 8 / view.moved.bits;
  launch.tile_elements = once;
  for (std::int64_t unroll : {2, 4})
    if (launch.elements > (most_blocks - 1) * unroll * once &&
        unroll * once <= threads * most_held(spec, view)) {
      launch.unroll = static_cast<int>(unroll);
      launch.tile_elements = unroll * once;
    }
  launch.grid = static_cast<int>(std::min<std::int64_t>(launch.tiles(), most_blocks));
  return launch;
}

int program_of(const Launch& launch, std::int64_t tile) { return static_cast<int>(tile % launch.grid); }

std::int64_t tiles_of(const Launch& launch, int program) {
  const std::int64_t tiles = launch.tiles();
  if (program < 0 || program >= launch.grid || program >= tiles) return 0;
  return (tiles - 1 - program) / launch.grid + 1;
}

TileRange range_of(const Launch& launch, std::int64_t tile) {
  const std::int64_t begin = tile * launch.tile_elements;
  return {begin, std::min(begin + launch.tile_elements, launch.elements)};
}

VisitOrder::VisitOrder(const Launch& launch, int world, int rank, std::int64_t group)
    : launch_(launch), world_(world), rank_(rank), group_(std::max<std::int64_t>(group, 1)) {
  require(0 <= rank && rank < world, Code::argument, "rank {} of a world of {}; ranks are 0 to {}", rank,
          world, world - 1);
}

std::optional<Visit> VisitOrder::visit(int program, std::int64_t step) const {
  const std::int64_t own = tiles_of(launch_, program);
  if (step < 0 || step >= own * world_) return std::nullopt;
  const std::int64_t group = std::min(group_, own);
  const std::int64_t first = step / (group * world_) * group;
  const std::int64_t size = std::min(group, own - first);  // at least 1: the step is below own * world
  const std::int64_t in_group = step - first * world_;
  const auto turn = static_cast<int>(in_group / size);
  const std::int64_t tile = program + (first + in_group % size) * launch_.grid;
  return Visit{(rank_ + 1 + turn) % world_, tile};
}

VisitOrder visit_order(const CollectiveSpec& spec, const Launch& launch, int rank) {
  return spec.variant == Variant::swizzled ? VisitOrder(launch, spec.world, rank, swizzle_group)
                                           : VisitOrder(launch, spec.world, rank);
}

}  // namespace tutti::kernels
