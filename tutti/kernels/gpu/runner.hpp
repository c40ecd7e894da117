// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/kernels/gpu/kernel_choice.hpp"

namespace tutti::kernels {

/// Queues the calls of a collective, as a kernel, as copies or by NCCL. The caller checks the addresses
/// before launch(), and waits for the group before it destroys the runner.
class Runner {
 public:
  Runner() = default;
  virtual ~Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  /// Queues one call. Addresses as in Collective::launch.
  virtual void launch(std::span<const DeviceAddress> inputs, std::span<const DeviceAddress> outputs) = 0;
};

/// Runs a kernel that was chosen and compiled.
std::unique_ptr<Runner> kernel_runner(Group& group, KernelChoice choice);
/// Runs all_gather, all_to_all and ppermute as driver copies, ordered by events. Takes any world.
std::unique_ptr<Runner> copy_runner(Group& group, const CollectiveSpec& spec);
/// Runs all_reduce and reduce_scatter by NCCL. Throws R004 if NCCL is missing or fails, or if ranks share a
/// device; T015 for a reduction that NCCL lacks.
std::unique_ptr<Runner> nccl_runner(Group& group, const CollectiveSpec& spec, const std::string& library);

}  // namespace tutti::kernels
