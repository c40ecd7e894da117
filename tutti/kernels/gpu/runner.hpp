// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/kernels/gpu/kernel_choice.hpp"

namespace tutti::kernels {

/// What queues the calls of a collective: a kernel, copies or NCCL. The addresses have been checked.
/// Whoever destroys a runner waits for the group first.
class Runner {
 public:
  Runner() = default;
  virtual ~Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual void launch(std::span<const DeviceAddress> inputs, std::span<const DeviceAddress> outputs) = 0;
};

std::unique_ptr<Runner> kernel_runner(Group& group, KernelChoice choice);
/// Of all_gather, all_to_all and ppermute: copies of the driver, ordered by events. Any world.
std::unique_ptr<Runner> copy_runner(Group& group, const CollectiveSpec& spec);
/// Of all_reduce and reduce_scatter. Throws R004 if NCCL is missing or refuses, T015 for a dtype that it has not; both say
/// that.
std::unique_ptr<Runner> nccl_runner(Group& group, const CollectiveSpec& spec, const std::string& library);

}  // namespace tutti::kernels
