// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/call_arrays.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

bool is_cut(CollectiveKind kind) {
  return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all;
}
bool is_joined(CollectiveKind kind) {
  return kind == CollectiveKind::all_gather || kind == CollectiveKind::all_to_all;
}

Dim result_dim(const CollectiveSpec& spec) { return spec.concat.value_or(spec.dim); }

Shape repeated(const CollectiveSpec& spec, Dim dim) {
  return spec.shape.with(dim, spec.shape[dim] * spec.world);
}

BlockedArray blocks_along(const CollectiveSpec& spec, Dim dim) {
  BlockedArray array{1, spec.world, static_cast<std::int64_t>(bytes_per_element(spec.dtype))};
  for (int i = 0; i < spec.shape.rank(); ++i) (i < dim.index ? array.outer : array.inner) *= spec.shape[i];
  return array;
}

BlockedArray one_block(const CollectiveSpec& spec) {
  return {1, 1, spec.shape.elements() * static_cast<std::int64_t>(bytes_per_element(spec.dtype))};
}

/// The bytes of one input or output of a call.
struct Range {
  std::string_view what;
  int rank;
  DeviceAddress begin;
  std::int64_t bytes;
  bool overlaps(const Range& other) const {
    return begin < other.begin + static_cast<DeviceAddress>(other.bytes) &&
           other.begin < begin + static_cast<DeviceAddress>(bytes);
  }
};

bool may_be_in_place(const CollectiveSpec& spec, const Range& input, const Range& output) {
  if (input.rank != output.rank || spec.variant == Variant::push) return false;
  if (spec.kind == CollectiveKind::all_reduce || spec.kind == CollectiveKind::ppermute)
    return input.begin == output.begin;
  const auto own = static_cast<DeviceAddress>(input.rank) * static_cast<DeviceAddress>(input.bytes);
  return spec.kind == CollectiveKind::all_gather && result_bytes(spec).outer == 1 &&
         input.begin == output.begin + own;
}

std::string_view advice_in_place(const CollectiveSpec& spec) {
  if (spec.variant == Variant::push)
    return "push writes into outputs while others read inputs; use separate ones";
  switch (spec.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::ppermute: return "give one address for both, or separate arrays";
    case CollectiveKind::all_gather:
      return "use separate arrays; an input may be its rank's own block of the output, if blocks are "
             "contiguous";
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all: break;
  }
  return "use separate arrays";
}

}  // namespace

Shape operand_shape(const CollectiveSpec& spec) {
  return is_cut(spec.kind) ? repeated(spec, spec.dim) : spec.shape;
}

Shape result_shape(const CollectiveSpec& spec) {
  return is_joined(spec.kind) ? repeated(spec, result_dim(spec)) : spec.shape;
}

BlockedArray operand_bytes(const CollectiveSpec& spec) {
  return is_cut(spec.kind) ? blocks_along(spec, spec.dim) : one_block(spec);
}

BlockedArray result_bytes(const CollectiveSpec& spec) {
  return is_joined(spec.kind) ? blocks_along(spec, result_dim(spec)) : one_block(spec);
}

// Asks eligible() with a variant, groups and a dtype that kernels take: only the other fields can be wrong.
std::string what_is_wrong(const CollectiveSpec& spec) {
  if (spec.world < 1) return fmt::format("a world of {} ranks; there must be one at least", spec.world);
  if (is_reduction(spec.kind) && !spec.reduction)
    return fmt::format("{} without a reduction; name one", name(spec.kind));
  CollectiveSpec like = spec;
  like.variant = variants_of(spec.kind).front();
  like.dtype = DType::u8;
  if (is_reduction(spec.kind)) like.reduction = ReduceKind::sum;
  like.world = std::min(spec.world, most_world);
  like.groups.assign(1, {});
  for (int rank = 0; rank < like.world; ++rank) like.groups[0].push_back(rank);
  if (spec.world > most_world) {  // the pairs are checked here: eligible() gets a smaller world
    for (const auto& [source, target] : spec.pairs)
      if (std::min(source, target) < 0 || std::max(source, target) >= spec.world)
        return fmt::format("the pair ({}, {}) in a world of {}", source, target, spec.world);
    like.pairs.clear();
  }
  return eligible(like).refusal.value_or("");
}

void require_addresses(const CollectiveSpec& spec, int alignment, std::span<const DeviceAddress> inputs,
                       std::span<const DeviceAddress> outputs) {
  const std::int64_t operand = operand_bytes(spec).elements(), result = result_bytes(spec).elements();
  std::vector<Range> ranges;
  const auto add = [&](std::string_view what, std::span<const DeviceAddress> addresses, std::int64_t bytes) {
    require(static_cast<int>(addresses.size()) == spec.world, Code::argument,
            "{}: {} for {}; give one to each", spec,
            counted(static_cast<std::int64_t>(addresses.size()), what), counted(spec.world, "rank"));
    for (int rank = 0; rank < spec.world; ++rank) {
      const DeviceAddress address = addresses[static_cast<std::size_t>(rank)];
      require(address % static_cast<DeviceAddress>(alignment) == 0, Code::argument,
              "{}: the {} of rank {} begins at {}, which is no multiple of {} bytes; kernels move {} bytes "
              "at once, begin it at an address of cuMemAlloc",
              spec, what, rank, fmt::format("{:#x}", address), alignment, alignment);
      require(address != 0 || bytes == 0, Code::argument, "{}: the {} of rank {} has no address", spec, what,
              rank);
      ranges.push_back({what, rank, address, bytes});
    }
  };
  add("input", inputs, operand);
  add("output", outputs, result);
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = std::max(i + 1, inputs.size()); j < ranges.size(); ++j)  // inputs may overlap
      require(!ranges[i].overlaps(ranges[j]) || may_be_in_place(spec, ranges[i], ranges[j]), Code::argument,
              "{}: the {} of rank {} overlaps the {} of rank {}; {}", spec, ranges[i].what, ranges[i].rank,
              ranges[j].what, ranges[j].rank, advice_in_place(spec));
}

}  // namespace tutti::kernels
