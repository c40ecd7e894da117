// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/kernels/gpu/group.hpp"

namespace tutti::kernels {

/// Ranks that share a device.
enum class SharedDevice : std::uint8_t {
  two_launches,  // no kernel waits for one that has not begun: safe everywhere
  concurrent  // the spec's variant; kernels of all ranks must run at the same time, and nothing else beside them
};

/// The kernels of a manifest on each rank's device.
struct LoadedKernels {
  std::vector<Module> modules;                         // one for each device
  std::vector<std::vector<FunctionHandle>> functions;  // by rank, then by entry
};

/// The kernel that a group runs for a spec.
struct KernelChoice {
  Manifest manifest;
  bool is_cooperative = false;  // launched so
  std::string note;             // why it is not the spec's variant, or not the usual grid; empty: it is
  LoadedKernels loaded;
};

/// Why a group runs no kernel for a spec: the spec, the driver, a device, or no access to each other's memory. Empty: it
/// does.
std::string why_no_kernel(const Group& group, const CollectiveSpec& spec, Encoding encoding);

/// Emits the kernels, has the drivers compile them, and fits them to the devices.
/// - Ranks on one device: two_launches, or with SharedDevice::concurrent the spec's variant if `connections` streams and
///   the multiprocessors run the kernels of all ranks at once.
/// - One launch, and not all blocks are resident: a smaller grid.
/// Throws R004 if a driver refuses the kernels.
KernelChoice choose_kernel(const Group& group, const CollectiveSpec& spec, Encoding encoding,
                           SharedDevice sharing, int connections);

}  // namespace tutti::kernels
