// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/manifest.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

// True for kernels without a staging. One barrier before the stores ensures that the peers' outputs are free,
// one after the stores that they are complete.
bool stores_into_outputs(const CollectiveSpec& spec) {
  return spec.variant == Variant::push && !is_reduction(spec.kind);
}

DType moved_dtype(const CollectiveSpec& spec, const MovedElement& moved) {
  if (is_reduction(spec.kind)) return spec.dtype;
  return moved.bits == 8    ? DType::i8
         : moved.bits == 16 ? DType::i16
         : moved.bits == 32 ? DType::i32
                            : DType::i64;
}

std::vector<LaunchArgument> arguments_of(const CollectiveSpec& spec, const CanonicalView& view) {
  using enum ArgumentKind;
  const DType moved = moved_dtype(spec, view.moved);
  const bool to_outputs = stores_into_outputs(spec);
  std::vector<LaunchArgument> arguments{{input, moved, alignment_bytes},
                                        {output, moved, alignment_bytes},
                                        {rank, DType::i32, 4},
                                        {sequence, DType::i32, 4}};
  if (!to_outputs) arguments.push_back({half, DType::i32, 4});
  if (spec.variant != Variant::packets) arguments.push_back({signal_table, DType::i64, alignment_bytes});
  const bool to_inboxes = spec.variant == Variant::packets;
  arguments.push_back({to_outputs   ? output_table
                       : to_inboxes ? inbox_table
                                    : staging_table,
                       DType::i64, alignment_bytes});
  arguments.push_back({wait_limit, DType::i64, 8});
  arguments.push_back({error, DType::i32, alignment_bytes});
  return arguments;
}

// Sizes are in bytes, so that no tile's size is taken for a number of elements.
Staging staging_of(const CollectiveSpec& spec, const CanonicalView& view, const Launch& launch) {
  if (stores_into_outputs(spec) || spec.variant == Variant::packets) return {};
  const bool has_slices = spec.variant == Variant::push || spec.variant == Variant::two_shot;
  const int slices = has_slices ? spec.world : view.operand.blocks;
  return {slices * slice_elements(view, launch) * view.moved.bits / 8, 2};
}

Staging inboxes_of(const CollectiveSpec& spec) {
  if (spec.variant != Variant::packets) return {};
  return {spec.world * packet_inbox_bytes, 2};
}

Pads pads_of(const CollectiveSpec& spec, const Launch& launch) {
  if (spec.variant == Variant::packets) return {};
  return pads_for(spec.world, launch.grid);
}

SequenceRule sequence_of(const CollectiveSpec& spec) {
  const bool two_barriers = spec.variant == Variant::two_shot || stores_into_outputs(spec);
  return {.signals = two_barriers ? 2 : 1};
}

std::vector<std::string> entries_of(const std::string& name, Variant variant) {
  if (variant != Variant::two_launches) return {name};
  return {name + "_publish", name + "_consume"};
}

std::int64_t error_bytes_of(const CollectiveSpec& spec, const Launch& launch) {
  return (1 + std::int64_t{launch.grid} * spec.world) * error_pair_bytes;
}

std::string name_of(const CollectiveSpec& spec) {
  const std::string how = spec.reduction ? fmt::format("_{}", ops::name(*spec.reduction)) : "";
  return fmt::format("{}{}_{}_w{}_{}", name(spec.kind), how, tutti::name(spec.dtype), spec.world,
                     name(spec.variant));
}

template <class... A>
void demand(bool holds, const Manifest& manifest, fmt::format_string<A...> format, A&&... values) {
  if (!holds)
    fail(Code::file, "manifest of '{}': {}; write it again", manifest.name,
         fmt::format(format, std::forward<A>(values)...));
}

bool has_encoding(Target target, Encoding encoding) {
  return target == Target::nvidia || encoding != Encoding::threads;
}

bool is_power_of_two(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

bool is_entry(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view digits = "0123456789";
  return !name.empty() && letters.find(name[0]) != letters.npos && std::ranges::all_of(name, [&](char c) {
    return letters.find(c) != letters.npos || digits.find(c) != digits.npos;
  });
}

void demand_launch(const Manifest& manifest, const CanonicalView& view) {
  const Launch& launch = manifest.launch;
  const int most_warps = most_threads / threads_per_warp(manifest.target);
  demand(is_power_of_two(launch.warps) && launch.warps <= most_warps, manifest,
         "{} warps; a power of two up to {} was expected", launch.warps, most_warps);
  demand(launch.unroll >= 1, manifest, "unroll is {}; 1 or more was expected", launch.unroll);
  demand(is_power_of_two(launch.tile_elements) && launch.tile_elements <= most_tile_elements, manifest,
         "tiles of {} elements; a power of two up to {} was expected", launch.tile_elements,
         most_tile_elements);
  const std::int64_t visited = visited_elements(manifest.spec, view);
  demand(launch.elements == visited, manifest, "the launch is for {} elements, the spec has {}",
         launch.elements, visited);
  const std::int64_t most = std::min<std::int64_t>(most_blocks, launch.tiles());
  demand(launch.grid <= most && launch.grid >= std::min<std::int64_t>(most, 1), manifest,
         "a grid of {} blocks for {} tiles; 1 to {} were expected", launch.grid, launch.tiles(), most);
}

void demand_pads(const Manifest& manifest) {
  if (manifest.spec.variant == Variant::packets)
    return demand(manifest.pads == Pads{}, manifest, "pads for packets, which have no signals");
  const Pads& pads = manifest.pads;
  demand(manifest.launch.grid <= pads.rows, manifest, "a grid of {} blocks, but pads of {} rows",
         manifest.launch.grid, pads.rows);
  demand(pads.slots >= manifest.spec.world * slots_per_peer, manifest,
         "{} slots in a row of the pads for a world of {}, {} per rank", pads.slots, manifest.spec.world,
         slots_per_peer);
  demand(pads.row_bytes % pad_row_bytes == 0 && pads.row_bytes / slot_bytes >= pads.slots, manifest,
         "rows of {} bytes for {} slots; a multiple of {}, {} per slot, was expected", pads.row_bytes,
         pads.slots, pad_row_bytes, slot_bytes);
}

void demand_staging(const Manifest& manifest, const CanonicalView& view) {
  const Staging needed = staging_of(manifest.spec, view, manifest.launch);
  const Staging& staging = manifest.staging;
  demand(staging.halves == needed.halves && staging.bytes_per_half >= needed.bytes_per_half &&
             staging.bytes_per_half <= most_staging_bytes / 2 &&
             staging.bytes_per_half % alignment_bytes == 0,
         manifest, "staging of {} halves of {} bytes; {} of {} or more, a multiple of {}, were expected",
         staging.halves, staging.bytes_per_half, needed.halves, needed.bytes_per_half, alignment_bytes);
}

}  // namespace

Pads pads_for(int world, int rows) {
  const int slots = world * slots_per_peer;
  return {rows, static_cast<int>(rounded_up(std::int64_t{slots} * slot_bytes, pad_row_bytes)), slots};
}

std::string_view name(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::input: return "input";
    case ArgumentKind::output: return "output";
    case ArgumentKind::rank: return "rank";
    case ArgumentKind::sequence: return "sequence";
    case ArgumentKind::half: return "half";
    case ArgumentKind::signal_table: return "signal_table";
    case ArgumentKind::staging_table: return "staging_table";
    case ArgumentKind::inbox_table: return "inbox_table";
    case ArgumentKind::output_table: return "output_table";
    case ArgumentKind::wait_limit: return "wait_limit";
    case ArgumentKind::error: break;
  }
  return "error";
}

Manifest manifest_of(const CollectiveSpec& spec, Target target, Encoding encoding,
                     std::optional<Launch> launch) {
  const CanonicalView view = view_of(spec);
  require(has_encoding(target, encoding), Code::argument,
          "{}: {} signals by inline PTX, which {} does not run; use poll or atomics", spec, name(encoding),
          name(target));
  Manifest manifest;
  manifest.name = name_of(spec);
  manifest.target = target;
  manifest.encoding = encoding;
  manifest.spec = spec;
  manifest.entries = entries_of(manifest.name, spec.variant);
  manifest.arguments = arguments_of(spec, view);
  manifest.launch = launch ? *launch : launch_of(spec, target);
  manifest.pads = pads_of(spec, manifest.launch);
  manifest.staging = staging_of(spec, view, manifest.launch);
  manifest.inboxes = inboxes_of(spec);
  manifest.cooperative = spec.variant != Variant::two_launches;
  manifest.error_bytes = error_bytes_of(spec, manifest.launch);
  manifest.sequence = sequence_of(spec);
  return manifest;
}

void require_valid(const Manifest& manifest) {
  demand(is_entry(manifest.name), manifest, "the name is no identifier of letters, digits and _");
  demand(has_encoding(manifest.target, manifest.encoding), manifest, "{} has no encoding {}",
         name(manifest.target), name(manifest.encoding));
  const Eligibility answer = eligible(manifest.spec);
  demand(bool(answer), manifest, "there is no kernel for its spec: {}", answer.refusal.value_or(""));
  const CanonicalView view = view_of(manifest.spec);
  demand_launch(manifest, view);
  demand_pads(manifest);
  demand_staging(manifest, view);
  demand(manifest.inboxes == inboxes_of(manifest.spec), manifest,
         "inboxes of {} halves of {} bytes, which differ from those of {}", manifest.inboxes.halves,
         manifest.inboxes.bytes_per_half, name(manifest.spec.variant));
  demand(manifest.entries == entries_of(manifest.name, manifest.spec.variant), manifest,
         "its entries are not those of {}", name(manifest.spec.variant));
  demand(manifest.cooperative == (manifest.spec.variant != Variant::two_launches), manifest,
         "cooperative is {}; only two_launches needs no resident peers", manifest.cooperative);
  demand(manifest.error_bytes == error_bytes_of(manifest.spec, manifest.launch), manifest,
         "{} bytes for errors; {} were expected", manifest.error_bytes,
         error_bytes_of(manifest.spec, manifest.launch));
  demand(manifest.arguments == arguments_of(manifest.spec, view), manifest,
         "its arguments are not those of {}, in number, order, dtype or alignment",
         name(manifest.spec.variant));
  const CompilerNeeds& needs = manifest.needs;
  demand(needs.hidden_pointers >= 0 && needs.hidden_pointers <= 2 && needs.shared_bytes >= 0 &&
             needs.scratch_bytes >= 0,
         manifest, "{} hidden pointers, {} bytes of shared memory and {} of scratch", needs.hidden_pointers,
         needs.shared_bytes, needs.scratch_bytes);
  const SequenceRule rule = sequence_of(manifest.spec);
  demand(manifest.sequence == rule, manifest,
         "a call takes {} signals and pads are filled after {}; {} and {} were expected",
         manifest.sequence.signals, manifest.sequence.refresh, rule.signals, rule.refresh);
}

void require_fits(const Manifest& manifest, const Pads& allocated, const Staging& staging,
                  const Staging& inboxes) {
  const Pads& pads = manifest.pads;
  const bool has_pads = manifest.spec.variant != Variant::packets;
  require(!has_pads || manifest.launch.grid <= allocated.rows, Code::argument,
          "{}: a grid of {} blocks, but the group's pads have {} rows; allocate more, or use a smaller grid",
          manifest.name, manifest.launch.grid, allocated.rows);
  require(
      !has_pads || (pads.row_bytes == allocated.row_bytes && pads.slots <= allocated.slots), Code::argument,
      "{}: rows of {} slots in {} bytes, but the group's pads have {} in {}; allocate pads for this kernel",
      manifest.name, pads.slots, pads.row_bytes, allocated.slots, allocated.row_bytes);
  require(manifest.staging.halves <= staging.halves &&
              manifest.staging.bytes_per_half <= staging.bytes_per_half,
          Code::argument, "{}: staging of {} halves of {} bytes, but the group has {} of {}; allocate more",
          manifest.name, manifest.staging.halves, manifest.staging.bytes_per_half, staging.halves,
          staging.bytes_per_half);
  require(manifest.inboxes.halves <= inboxes.halves &&
              manifest.inboxes.bytes_per_half <= inboxes.bytes_per_half,
          Code::argument, "{}: inboxes of {} bytes, but the group has {}; allocate inboxes", manifest.name,
          manifest.inboxes.bytes_per_half, inboxes.bytes_per_half);
}

}  // namespace tutti::kernels
