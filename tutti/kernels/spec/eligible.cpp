// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tutti/kernels/spec/constants.hpp"

namespace tutti::kernels {
namespace {

using Refusal = std::optional<std::string>;

Refusal refused_variant(const CollectiveSpec& spec) {
  const std::vector<Variant> variants = variants_of(spec.kind);
  if (std::ranges::find(variants, spec.variant) != variants.end()) return {};
  std::vector<std::string_view> names;
  for (Variant variant : variants) names.push_back(name(variant));
  if (spec.kind == CollectiveKind::ppermute && spec.variant == Variant::packets)
    return "packets of ppermute: a source does not hear that its target has read the last ones; use standard";
  return fmt::format("{} has no variant {}; use {}", name(spec.kind), name(spec.variant),
                     fmt::join(names, ", "));
}

Refusal refused_reduction(const CollectiveSpec& spec) {
  if (!is_reduction(spec.kind)) {
    if (!spec.reduction) return {};
    return fmt::format("{} only moves data and has no reduction; leave {} out", name(spec.kind),
                       ops::name(*spec.reduction));
  }
  if (!spec.reduction) return fmt::format("{} without a reduction; name sum, max or min", name(spec.kind));
  switch (*spec.reduction) {
    case ReduceKind::sum:
    case ReduceKind::max:
    case ReduceKind::min: return {};
    case ReduceKind::prod: return "kernels reduce by sum, max and min, not by prod; gather the values first";
    case ReduceKind::logical_and:
    case ReduceKind::logical_or: break;
  }
  return fmt::format("kernels reduce by sum, max and min, not by {}; convert 0 and 1 to u8 and use {}",
                     ops::name(*spec.reduction), *spec.reduction == ReduceKind::logical_and ? "min" : "max");
}

// Tutti has no types of 4 bits and no f8 types; f8 elements move as u8.
Refusal refused_dtype(const CollectiveSpec& spec) {
  if (std::ranges::find(all_dtypes(), spec.dtype) == all_dtypes().end())
    return fmt::format(
        "element type {} is unknown; elements have 1, 2, 4, 8 or 16 bytes, pack smaller ones in u8",
        static_cast<int>(spec.dtype));
  if (!is_reduction(spec.kind)) return {};
  if (spec.dtype == DType::boolean)
    return fmt::format("{} of bool: a kernel reduces numbers; convert to u8 and use max for or, min for and",
                       name(spec.kind));
  if (is_complex(spec.dtype))
    return fmt::format("{} of {}: a kernel reduces real numbers; reduce real and imaginary parts as {}",
                       name(spec.kind), tutti::name(spec.dtype), tutti::name(part_of(spec.dtype)));
  return {};
}

Refusal refused_groups(const CollectiveSpec& spec) {
  if (spec.world < 1 || spec.world > most_world)
    return fmt::format("groups of {} ranks; kernels have 1 to {}, use the library for others", spec.world,
                       most_world);
  if (spec.groups.empty()) return "no groups; write out the one group of all ranks";
  std::set<int> named;
  for (const std::vector<int>& group : spec.groups) {
    if (static_cast<int>(group.size()) != spec.world)
      return fmt::format(
          "groups {} have one of {} ranks in a world of {}; kernels need equal sizes, use the library",
          shortened(ops::to_string(spec.groups)), group.size(), spec.world);
    for (int rank : group) {
      if (rank < 0)
        return fmt::format("groups {} name rank {}; count from 0", shortened(ops::to_string(spec.groups)),
                           rank);
      if (!named.insert(rank).second)
        return fmt::format("groups {} name rank {} twice; name each once",
                           shortened(ops::to_string(spec.groups)), rank);
    }
  }
  return {};
}

Refusal refused_pairs(const CollectiveSpec& spec) {
  if (spec.kind != CollectiveKind::ppermute) {
    if (spec.pairs.empty()) return {};
    return fmt::format("{} has no pairs; leave them out", name(spec.kind));
  }
  std::set<int> sources, targets;
  for (const auto& [source, target] : spec.pairs) {
    for (int place : {source, target})
      if (place < 0 || place >= spec.world)
        return fmt::format("pairs {} name place {} in a world of {}; places are 0 to {}",
                           shortened(ops::to_string(spec.pairs)), place, spec.world, spec.world - 1);
    if (!sources.insert(source).second || !targets.insert(target).second)
      return fmt::format("pairs {}: ({}, {}) names a source or target again; name each once",
                         shortened(ops::to_string(spec.pairs)), source, target);
  }
  return {};
}

Refusal refused_dims(const CollectiveSpec& spec) {
  if (spec.concat && spec.kind != CollectiveKind::all_to_all)
    return fmt::format("{} has no second dim; leave concat out", name(spec.kind));
  if (spec.concat == spec.dim)
    return fmt::format("concat is dim {}, as dim is; leave it out", spec.dim.index);
  if (!has_dim(spec.kind)) {
    if (spec.dim == Dim{0}) return {};
    return fmt::format("{} has no dim, but dim is {}; set it to 0", name(spec.kind), spec.dim.index);
  }
  for (Dim dim : {spec.dim, spec.concat.value_or(spec.dim)})
    if (dim.index < 0 || dim.index >= spec.shape.rank())
      return fmt::format(
          "{}: dim {} of a block [{}] with {} dims; a new dim of blocks is a dim of 1 in the block",
          name(spec.kind), dim.index, to_string(spec.shape), spec.shape.rank());
  return {};
}

// Skips sizes of 0, so that the product of the other sizes is checked for overflow too.
Refusal refused_size(const CollectiveSpec& spec) {
  const auto bytes_of_element = static_cast<std::int64_t>(bytes_per_element(spec.dtype));
  const std::int64_t blocks = 2 * std::int64_t{spec.world};  // at most, in both halves together
  const std::int64_t most = (most_staging_bytes - blocks * alignment_bytes) / blocks / bytes_of_element;
  std::int64_t elements = 1;
  bool is_empty = false;
  for (std::int64_t size : spec.shape) {
    if (size < 0)
      return fmt::format("block [{}] has a negative size; sizes are 0 or more", to_string(spec.shape));
    is_empty |= size == 0;
    if (size == 0) continue;
    if (elements > most / size)
      return fmt::format(
          "block {}[{}] of {} ranks: offsets in two staging halves do not fit 63 bits; use smaller blocks",
          tutti::name(spec.dtype), to_string(spec.shape), spec.world);
    elements *= size;
  }
  if (spec.variant == Variant::packets && !is_empty && elements > most_packet_bytes / bytes_of_element)
    return fmt::format("packets of {} bytes, more than {}; use another variant of {}",
                       elements * bytes_of_element, most_packet_bytes, name(spec.kind));
  return {};
}

}  // namespace

Eligibility eligible(const CollectiveSpec& spec) {
  // Dtype and world are checked first, because the check of sizes computes with them.
  for (auto refused : {refused_dtype, refused_reduction, refused_variant, refused_groups, refused_pairs,
                       refused_dims, refused_size})
    if (Refusal why = refused(spec)) return {std::move(why)};
  return {};
}

std::vector<Variant> variants_of(CollectiveKind kind) {
  using enum Variant;
  switch (kind) {
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all: return {standard, swizzled, push, two_launches, packets};
    case CollectiveKind::all_reduce: return {one_shot, two_shot, two_launches, packets};
    case CollectiveKind::ppermute: return {standard, push, two_launches};
    case CollectiveKind::reduce_scatter: break;
  }
  return {standard, push, two_launches, packets};
}

bool is_reduction(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

bool has_dim(CollectiveKind kind) {
  return kind != CollectiveKind::all_reduce && kind != CollectiveKind::ppermute;
}

}  // namespace tutti::kernels
