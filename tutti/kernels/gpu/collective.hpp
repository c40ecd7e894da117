// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/kernels/gpu/kernel_choice.hpp"
#include "tutti/kernels/gpu/nccl.hpp"
#include "tutti/kernels/gpu/runner.hpp"

namespace tutti::kernels {

enum class Backend : std::uint8_t {
  automatic,  // a kernel if there is one, else the library
  kernels,    // the same, with a warning if there is none
  library     // copies of the driver, reductions by NCCL
};

struct CollectiveOptions {
  Backend backend = Backend::automatic;
  Encoding encoding = Encoding::poll;
  SharedDevice sharing = SharedDevice::two_launches;
  int connections =
      8;  // streams that a device runs at once: CUDA_DEVICE_MAX_CONNECTIONS of this process, 8 if unset
  std::string nccl = std::string(default_nccl);
  /// Hears once, in make(), why there is no kernel although Backend::kernels was asked for.
  std::function<void(std::string_view)> warn = {};
};

/// A collective on the GPUs of a group, ready to be launched many times.
/// Runs as a kernel of ours. Without one, movement runs as copies of the driver, and reductions run by NCCL.
/// Example: examples/gather_on_gpus.cpp.
class Collective {
 public:
  /// Emits, compiles and loads the kernel.
  /// Throws T015 for a spec that nothing can run or of another world than the group, R004 if the driver refuses a kernel,
  /// or if a reduction has neither a kernel nor NCCL; the message says what is missing.
  static Collective make(const std::shared_ptr<Group>& group, const CollectiveSpec& spec,
                         const CollectiveOptions& options = {});
  Collective(Collective&&) noexcept;
  Collective& operator=(Collective&&) noexcept;
  ~Collective();  // waits

  /// Queues a call on the group's streams, and returns. Addresses are of arrays of operand_shape() and result_shape(), one
  /// for each rank, on the rank's device. They must stay until wait() returns.
  /// Without elements nothing is launched.
  /// Throws T015 for addresses that are missing, misaligned or overlap, R003 if the group's memory cannot grow, R004 if the
  /// group is broken or the driver refuses.
  void launch(std::span<const DeviceAddress> inputs, std::span<const DeviceAddress> outputs);
  /// group->wait(): throws R004 if a rank waits in vain.
  void wait() { group_->wait(); }

  const Shape& operand_shape() const { return operand_; }
  const Shape& result_shape() const { return result_; }
  /// "kernel all_gather_f32_w8_two_launches, ..", or "copies of the driver: no kernel, because ..".
  const std::string& description() const { return description_; }
  /// Bytes that a call reads plus those that it writes, on all ranks, publishing included. Of NCCL: operands and results.
  std::int64_t bytes_per_call() const;
  /// Of the kernel that runs; none for a library.
  const std::optional<Manifest>& manifest() const { return manifest_; }

 private:
  Collective(std::shared_ptr<Group> group, const CollectiveSpec& spec);

  std::shared_ptr<Group> group_;
  CollectiveSpec spec_;
  Shape operand_, result_;
  std::string description_;
  std::optional<Manifest> manifest_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace tutti::kernels
