// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/kernels/gpu/group.hpp"

namespace tutti::kernels {

/// How ranks that share a device run a kernel.
enum class SharedDevice : std::uint8_t {
  two_launches,  // no kernel waits for a kernel of its device that has not begun; safe everywhere
  concurrent     // the spec's variant; the kernels of all ranks must run at once, without other work
};

/// The kernels of a manifest, loaded on each rank's device.
struct LoadedKernels {
  std::vector<Module> modules;                         // one for each device
  std::vector<std::vector<FunctionHandle>> functions;  // by rank, then by entry
};

/// The kernel that a group runs for a spec.
struct KernelChoice {
  Manifest manifest;
  bool is_cooperative = false;  // launched by cuLaunchCooperativeKernel
  std::string note;             // the reason for another variant or a smaller grid; empty: neither
  LoadedKernels loaded;
};

/// Says why a group runs no kernel for a spec: the spec is not eligible, the driver or a device is too old,
/// or devices lack peer access or the atomics that the encoding needs. Empty if the group runs one.
std::string why_no_kernel(const Group& group, const CollectiveSpec& spec, Encoding encoding);

/// Emits the kernels, loads them on the devices, and chooses variant and grid.
/// - If ranks share a device: two_launches. With SharedDevice::concurrent the spec's variant, if
///   `connections` streams and the multiprocessors run the kernels of all ranks at once.
/// - If not all blocks of a single launch are resident: a smaller grid, or two_launches if no block is.
/// - Without cooperative launches on a device: two_launches.
/// Throws R004 if a driver refuses the kernels.
KernelChoice choose_kernel(const Group& group, const CollectiveSpec& spec, Encoding encoding,
                           SharedDevice sharing, int connections);

}  // namespace tutti::kernels
