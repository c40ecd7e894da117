// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/kernel_choice.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

constexpr int oldest_capability = 80;
constexpr int oldest_driver = 11080;  // CUDA 11.8, which has PTX 7.8

PtxTarget target_of(const Device& device) {
  return device.capability() >= 90 ? PtxTarget::sm_90 : PtxTarget::sm_80;
}

// Looks up all functions before the first launch: a driver that loads one later may wait for spinning
// kernels.
LoadedKernels load(const Group& group, const Manifest& manifest) {
  LoadedKernels loaded;
  std::map<PtxTarget, std::string> texts;
  loaded.functions.resize(static_cast<std::size_t>(group.world()));
  for (const std::vector<int>& ranks : group.ranks_by_device()) {
    const auto& device = group.device(ranks.front());
    std::string& text = texts[target_of(*device)];
    if (text.empty()) text = ptx_text(manifest, target_of(*device));
    loaded.modules.push_back(load_module(device, text, manifest.name));
    for (const std::string& entry : manifest.entries) {
      const FunctionHandle function = function_of(loaded.modules.back(), entry);
      for (int rank : ranks) loaded.functions[static_cast<std::size_t>(rank)].push_back(function);
    }
  }
  return loaded;
}

/// Resident blocks per rank when the kernels of all ranks of a device run at once; the least of all devices.
int resident_blocks(const Group& group, const Manifest& manifest, const LoadedKernels& loaded) {
  int least = std::numeric_limits<int>::max();
  const int threads = manifest.launch.warps * threads_per_warp(manifest.target);
  for (const std::vector<int>& ranks : group.ranks_by_device()) {
    const Device& device = *group.device(ranks.front());
    const OnDevice current(device);
    int of_multiprocessor = 0;
    device.driver().resident_blocks(&of_multiprocessor,
                                    loaded.functions[static_cast<std::size_t>(ranks.front())].front(),
                                    threads, static_cast<std::size_t>(manifest.needs.shared_bytes));
    const int all = of_multiprocessor * device.attribute(device_attribute::multiprocessors);
    least = std::min(least, all / static_cast<int>(ranks.size()));
  }
  return least;
}

/// Says why kernels of one launch cannot run here. Empty if they may; the caller checks the resident blocks.
std::string why_not_one_launch(const Group& group, SharedDevice sharing, int connections) {
  for (const std::vector<int>& ranks : group.ranks_by_device()) {
    const Device& device = *group.device(ranks.front());
    const auto count = static_cast<int>(ranks.size());
    if (count == 1 && device.attribute(device_attribute::cooperative_launch) == 0)
      return fmt::format("device {} has no cooperative launches", device.ordinal());
    if (count == 1) continue;
    if (sharing == SharedDevice::two_launches)
      return fmt::format("{} ranks share device {}, and kernels that wait for each other may not run at once",
                         count, device.ordinal());
    if (count > connections)
      return fmt::format("{} ranks share device {}, which runs {} streams at once "
                         "(CUDA_DEVICE_MAX_CONNECTIONS)",
                         count, device.ordinal(), connections);
  }
  return "";
}

KernelChoice two_launches(const Group& group, CollectiveSpec spec, Encoding encoding, std::string why) {
  spec.variant = Variant::two_launches;
  KernelChoice choice{manifest_of(spec, Target::nvidia, encoding), false, {}, {}};
  choice.note = fmt::format("two_launches, because {}", why);
  choice.loaded = load(group, choice.manifest);
  return choice;
}

}  // namespace

std::string why_no_kernel(const Group& group, const CollectiveSpec& spec, Encoding encoding) {
  if (const Eligibility answer = eligible(spec); !answer) return *answer.refusal;
  if (group.driver().version() < oldest_driver)
    return fmt::format("the driver is of CUDA {}.{}, and PTX 7.8 needs 11.8", group.driver().version() / 1000,
                       group.driver().version() % 1000 / 10);
  for (const std::vector<int>& ranks : group.ranks_by_device()) {
    const Device& device = *group.device(ranks.front());
    if (const int capability = device.capability(); capability < oldest_capability)
      return fmt::format("device {} ({}) has compute capability {}.{}, and kernels need 8.0",
                         device.ordinal(), device.name(), capability / 10, capability % 10);
  }
  if (!group.missing_access().empty() || encoding != Encoding::atomics) return group.missing_access();
  std::vector<std::shared_ptr<const Device>> devices;
  for (int rank = 0; rank < group.world(); ++rank) devices.push_back(group.device(rank));
  const std::string missing = missing_peer_atomics(devices);
  return missing.empty() ? "" : missing + ", which the encoding atomics needs; use poll";
}

KernelChoice choose_kernel(const Group& group, const CollectiveSpec& spec, Encoding encoding,
                           SharedDevice sharing, int connections) {
  if (spec.variant == Variant::two_launches) {
    KernelChoice choice{manifest_of(spec, Target::nvidia, encoding), false, {}, {}};
    choice.loaded = load(group, choice.manifest);
    return choice;
  }
  if (const std::string why = why_not_one_launch(group, sharing, connections); !why.empty())
    return two_launches(group, spec, encoding, why);
  KernelChoice choice{manifest_of(spec, Target::nvidia, encoding), !group.shares_devices(), {}, {}};
  choice.loaded = load(group, choice.manifest);
  const int resident = resident_blocks(group, choice.manifest, choice.loaded);
  const int grid = choice.manifest.launch.grid;
  if (grid <= resident) return choice;
  if (resident == 0)
    return two_launches(group, spec, encoding, "the blocks of all ranks do not fit their device at once");
  Launch launch = choice.manifest.launch;
  launch.grid = resident;  // programs loop over tiles, so the compiled kernels stay the same
  choice.manifest = manifest_of(spec, Target::nvidia, encoding, launch);
  choice.note =
      fmt::format("a grid of {} instead of {}, because no more blocks are resident", resident, grid);
  return choice;
}

}  // namespace tutti::kernels
