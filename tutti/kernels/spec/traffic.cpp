// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/traffic.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/kernels/spec/launch.hpp"

namespace tutti::kernels {
namespace {

bool is_paired(const CollectiveSpec& spec, int rank) {
  const bool is_push = spec.variant == Variant::push;
  return std::ranges::any_of(spec.pairs, [&](const std::pair<int, int>& pair) {
    return pair.first != pair.second && (is_push ? pair.first : pair.second) == rank;
  });
}

/// The number of elements that a rank folds in two_shot.
std::int64_t part_elements(const CollectiveSpec& spec, const CanonicalView& view, int rank) {
  const std::int64_t size = visited_elements(spec, view);
  return std::clamp<std::int64_t>(view.elements - rank * size, 0, size);
}

// A rank reads its own part from each peer's staging, then every other part once.
std::int64_t two_shot_elements(const CollectiveSpec& spec, const CanonicalView& view, int rank) {
  const std::int64_t own = part_elements(spec, view, rank);
  return own * (spec.world - 1) + view.elements - own;
}

bool is_pair(const CollectiveSpec& spec, int source, int target) {
  return std::ranges::find(spec.pairs, std::pair(source, target)) != spec.pairs.end();
}

// In a ppermute by push, a rank reads its operand if it has a target. It writes its own output if it is its
// own target, or if it has no source: then zeros.
MemoryBytes pushed_alone(const CollectiveSpec& spec, int rank, std::int64_t block) {
  const bool has_target =
      std::ranges::find(spec.pairs, rank, &std::pair<int, int>::first) != spec.pairs.end();
  const bool has_source =
      std::ranges::find(spec.pairs, rank, &std::pair<int, int>::second) != spec.pairs.end();
  return {has_target ? block : 0, is_pair(spec, rank, rank) || !has_source ? block : 0};
}

}  // namespace

std::int64_t link_bytes(const CollectiveSpec& spec, int rank) {
  const CanonicalView view = view_of(spec);
  const std::int64_t bytes_of_element = view.moved.bits / 8;
  if (spec.kind == CollectiveKind::ppermute) return is_paired(spec, rank) ? view.block_bytes() : 0;
  if (spec.variant == Variant::two_shot) return two_shot_elements(spec, view, rank) * bytes_of_element;
  const std::int64_t blocks = view.elements * (spec.world - 1);
  if (spec.variant == Variant::packets) return blocks * packet_bytes * packets_per_element(view.moved);
  return blocks * bytes_of_element;
}

std::int64_t link_bytes(const CollectiveSpec& spec) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < spec.world; ++rank) sum += link_bytes(spec, rank);
  return sum;
}

MemoryBytes memory_bytes(const CollectiveSpec& spec, int rank) {
  const CanonicalView view = view_of(spec);
  const std::int64_t block = view.block_bytes(), bytes_of_element = view.moved.bits / 8;
  const std::int64_t operand = view.operand.elements() * bytes_of_element;
  const std::int64_t result = view.result.elements() * bytes_of_element;
  const bool is_alone = spec.kind == CollectiveKind::ppermute;
  switch (spec.variant) {
    case Variant::standard:
    case Variant::swizzled:
    case Variant::one_shot:
    case Variant::two_launches: {
      const std::int64_t from_itself = !is_alone || is_pair(spec, rank, rank) ? block : 0;
      return {operand + from_itself, operand + result};
    }
    case Variant::two_shot: {
      const std::int64_t part = part_elements(spec, view, rank) * bytes_of_element;
      return {operand + part, operand + part + result};
    }
    case Variant::packets: {
      const std::int64_t inbox = view.elements * packet_bytes * packets_per_element(view.moved);
      return {spec.world * (block + inbox), inbox + result};
    }
    case Variant::push: break;
  }
  if (is_alone) return pushed_alone(spec, rank, block);
  if (is_reduction(spec.kind)) return {operand + spec.world * block, block + result};
  return {operand, block};
}

std::int64_t least_link_bytes(const CollectiveSpec& spec) {
  const CanonicalView view = view_of(spec);
  const std::int64_t block = view.block_bytes();
  switch (spec.kind) {
    case CollectiveKind::all_reduce: return 2 * block * (spec.world - 1);
    case CollectiveKind::ppermute: return link_bytes(spec);
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all: break;
  }
  return block * (spec.world - 1) * spec.world;
}

}  // namespace tutti::kernels
