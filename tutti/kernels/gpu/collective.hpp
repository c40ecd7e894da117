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

/// How a collective runs: by a kernel or by a library.
enum class Backend : std::uint8_t {
  automatic,  // a kernel if there is one, else the library
  kernels,    // as automatic, with a warning if there is no kernel
  library     // driver copies; NCCL for reductions
};

/// Options of Collective::make.
struct CollectiveOptions {
  Backend backend = Backend::automatic;
  Encoding encoding = Encoding::poll;
  SharedDevice sharing = SharedDevice::two_launches;
  /// Streams that a device runs at once: CUDA_DEVICE_MAX_CONNECTIONS of this process, 8 if unset.
  int connections = 8;
  std::string nccl = std::string(default_nccl);
  /// make() calls it once, with the reason, if Backend::kernels finds no kernel.
  std::function<void(std::string_view)> warn = {};
};

/// A collective on the GPUs of a group, ready to be launched many times.
/// Runs one of our kernels. Without a kernel, driver copies move data, and NCCL reduces.
/// Example: examples/gather_on_gpus.cpp.
class Collective {
 public:
  /// Emits, compiles and loads the kernel.
  /// Throws T015 for an invalid spec, a world that differs from the group's, or a reduction that neither
  /// kernels nor NCCL have. Throws R004 if the group is broken, the driver refuses a kernel, or a reduction
  /// has no kernel and NCCL is missing; the message says what is missing.
  static Collective make(const std::shared_ptr<Group>& group, const CollectiveSpec& spec,
                         const CollectiveOptions& options = {});
  Collective(Collective&&) noexcept;
  Collective& operator=(Collective&&) noexcept;
  ~Collective();  // waits for the group

  /// Queues a call on the group's streams, and returns. `inputs` and `outputs` have one address per rank:
  /// arrays of operand_shape() and result_shape() on the rank's device. The arrays must live until wait()
  /// returns.
  /// Launches nothing if the arrays have no elements.
  /// Throws T015 for addresses that are missing, misaligned or overlapping, R003 if the group's memory cannot
  /// grow, R004 if the group is broken or the driver fails.
  void launch(std::span<const DeviceAddress> inputs, std::span<const DeviceAddress> outputs);
  /// Waits for the group: Group::wait(). Throws R004 if a rank gave up a wait.
  void wait() { group_->wait(); }

  /// The shape of a rank's input.
  const Shape& operand_shape() const { return operand_; }
  /// The shape of a rank's output.
  const Shape& result_shape() const { return result_; }
  /// "kernel all_gather_f32_w8_two_launches, ..", or "copies of the driver: no kernel, because ..".
  const std::string& description() const { return description_; }
  /// Bytes that all ranks read and write in one call, publishing included. NCCL counts as reading the
  /// operands and writing the results, copies as reading and writing the results.
  std::int64_t bytes_per_call() const;
  /// The manifest of the kernel; none if a library runs the collective.
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
