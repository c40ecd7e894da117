// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/kernel/kernel_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tutti/base/counted.hpp"
#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/kernels/spec/traffic.hpp"

namespace tutti::cli {
namespace {

using namespace kernels;

std::string phases_of(const CollectiveSpec& spec) {
  const std::string_view last =
      is_reduction(spec.kind) ? "fold the tiles of all ranks, in their order" : "pull the tiles of all ranks";
  switch (spec.variant) {
    case Variant::standard:
    case Variant::one_shot: return fmt::format("publish in the staging; barrier; {}", last);
    case Variant::swizzled:
      return fmt::format("publish in the staging; barrier; {}, {} tiles of each in turn", last,
                         swizzle_group);
    case Variant::two_shot:
      return "publish in the staging; barrier; fold the own part, publish it; barrier; pull the other parts";
    case Variant::two_launches:
      return fmt::format("publish in the staging, signal; then, in a second kernel: wait; {}", last);
    case Variant::packets:
      return fmt::format("send packets to the inboxes of all ranks; {}",
                         is_reduction(spec.kind) ? "fold them as they come" : "store them as they come");
    case Variant::push: break;
  }
  if (is_reduction(spec.kind)) return "store slices in the peers' staging; barrier; fold";
  return "barrier; store in the peers' outputs; barrier";
}

std::string array_text(const BlockedArray& array) {
  return fmt::format("[{}, {}, {}]", array.outer, array.blocks, array.inner);
}

std::string links_text(const CollectiveSpec& spec) {
  const std::int64_t bytes = link_bytes(spec), least = least_link_bytes(spec);
  if (bytes == 0) return "nothing moves between ranks";
  return fmt::format("{} between all ranks, {:.3g} times the least", in_bytes(bytes),
                     least == 0 ? 1.0 : static_cast<double>(bytes) / static_cast<double>(least));
}

std::string memory_text(const CollectiveSpec& spec) {
  MemoryBytes all;
  for (int rank = 0; rank < spec.world; ++rank) {
    const MemoryBytes of_rank = memory_bytes(spec, rank);
    all.read += of_rank.read;
    all.written += of_rank.written;
  }
  return fmt::format("{} read and {} written by all ranks in their own memory", in_bytes(all.read),
                     in_bytes(all.written));
}

std::string buffers_text(const Manifest& manifest) {
  std::vector<std::string> buffers;
  if (manifest.staging.halves > 0)
    buffers.push_back(fmt::format("staging of {} halves of {}", manifest.staging.halves,
                                  in_bytes(manifest.staging.bytes_per_half)));
  if (manifest.inboxes.halves > 0)
    buffers.push_back(fmt::format("inboxes of {} halves of {}", manifest.inboxes.halves,
                                  in_bytes(manifest.inboxes.bytes_per_half)));
  if (manifest.pads.rows > 0)
    buffers.push_back(fmt::format("pads of {} of {}", counted(manifest.pads.rows, "row"),
                                  in_bytes(manifest.pads.row_bytes)));
  buffers.push_back(fmt::format("{} for errors", in_bytes(manifest.error_bytes)));
  return fmt::format("{}", fmt::join(buffers, ", "));
}

std::string launch_text(const Manifest& manifest) {
  const Launch& launch = manifest.launch;
  if (launch.grid == 0) return "nothing: the block is empty";
  return fmt::format("{} of {}, {} of {} elements{}", counted(launch.grid, "block"),
                     counted(launch.warps, "warp"), counted(launch.tiles(), "tile"), launch.tile_elements,
                     manifest.cooperative ? ", cooperative" : ", in two launches");
}

std::string warps_reason(const Manifest& manifest, std::int64_t bytes) {
  const std::string_view where = bytes <= (32 << 10)  ? "up to 32 KiB have 4"
                                 : bytes <= (1 << 20) ? "up to 1 MiB have 8"
                                                      : "more than 1 MiB have 16";
  return fmt::format("{}: a block is {}, and {}", counted(manifest.launch.warps, "warp"), in_bytes(bytes),
                     where);
}

std::string unroll_reason(const Launch& launch) {
  if (launch.unroll == 1)
    return fmt::format("a thread moves 16 bytes of a tile: with more, {} would not have a tile each",
                       counted(most_blocks, "block"));
  return fmt::format("a thread moves {} times 16 bytes of a tile: {} still have a tile each", launch.unroll,
                     counted(most_blocks, "block"));
}

std::string encoding_reason(Encoding encoding) {
  switch (encoding) {
    case Encoding::threads: return "threads: one thread for each peer, in inline PTX; NVIDIA only";
    case Encoding::atomics: return "atomics: read-modify-writes, one peer after the other; runs everywhere";
    case Encoding::poll: break;
  }
  return "poll: atomic stores, and polls for equality; runs everywhere";
}

std::string fallback_of(const CollectiveSpec& spec) {
  if (!is_reduction(spec.kind)) return "copies of the driver, from each rank to each";
  return "NCCL, where it is installed and each rank has a GPU; else an error that says so";
}

}  // namespace

std::string plan_text(const Manifest& manifest) {
  const CollectiveSpec& spec = manifest.spec;
  const CanonicalView view = view_of(spec);
  std::string text = fmt::format("{}\n", kernels::to_string(spec));
  text +=
      fmt::format("view:    operand {}, result {} of {} bits, offsets of {} bits\n", array_text(view.operand),
                  array_text(view.result), view.moved.bits, view.offsets == OffsetType::i64 ? 64 : 32);
  text += fmt::format("launch:  {}\n", launch_text(manifest));
  text += fmt::format("phases:  {}\n", phases_of(spec));
  text += fmt::format("buffers: {}\n", buffers_text(manifest));
  text += fmt::format("links:   {}\n", links_text(spec));
  text += fmt::format("memory:  {}\n", memory_text(spec));
  return text;
}

std::string why_text(const KernelRequest& request) {
  const CollectiveSpec& spec = request.spec;
  const Eligibility answer = eligible(spec);
  if (!answer) return fmt::format("kernel:   none: {}\nfallback: {}\n", *answer.refusal, fallback_of(spec));
  std::vector<std::string_view> names;
  for (Variant variant : variants_of(spec.kind)) names.push_back(name(variant));
  const Manifest manifest = manifest_of(spec, request.target, request.encoding);
  std::string text = fmt::format("kernel:   {}, one of {}\n", name(spec.variant), fmt::join(names, ", "));
  if (request.type_name != tutti::name(spec.dtype))
    text += fmt::format("elements: {} moves as {}: bits move\n", request.type_name, tutti::name(spec.dtype));
  text += fmt::format("warps:    {}\n", warps_reason(manifest, view_of(spec).block_bytes()));
  text += fmt::format("tiles:    {}\n", unroll_reason(manifest.launch));
  text +=
      fmt::format("grid:     {}: at most {}, because blocks wait for each other and all must be resident\n",
                  manifest.launch.grid, most_blocks);
  text += fmt::format("encoding: {}\n", encoding_reason(request.encoding));
  text += fmt::format("links:    {}\n", links_text(spec));
  text += fmt::format("fallback: {}, where peers cannot reach each other's memory\n", fallback_of(spec));
  return text;
}

}  // namespace tutti::cli
