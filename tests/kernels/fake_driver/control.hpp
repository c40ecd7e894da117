// SPDX-License-Identifier: Apache-2.0
// The interface through which tests control the fake driver.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake_cuda {

struct Machine {
  int devices = 1;
  int multiprocessors = 4;
  int blocks_per_multiprocessor = 16;  // of any kernel
  bool has_peer_access = true;
  bool has_peer_atomics = true;
  int capability = 90;
  bool has_cooperative_launch = true;
  int version = 12040;
  std::int64_t memory_bytes = std::int64_t{1} << 30;  // of a device
};

/// A kernel as it was launched.
struct Launch {
  std::string kernel;
  int device = 0;
  int stream = 0;  // streams are numbered from 1 in the order in which they were made
  unsigned grid = 0, threads = 0, shared_bytes = 0;
  bool is_cooperative = false;
  std::vector<std::uint64_t> arguments;  // one per .param of the entry in the module's text
};

/// Controls the fake driver. Calls only queue work, as on a GPU. Work runs when a call waits for it, as late
/// as events allow, so that copies without an order read old data.
class Control {
 public:
  /// Forgets everything: handles, logs, failures, kernels.
  virtual void reset(const Machine& machine) = 0;
  /// The nth call of a function from now on (1 is the next) returns `error` and does nothing.
  virtual void fail(const std::string& function, int nth, int error) = 0;
  /// The next n queries of streams say that work is not done.
  virtual void delay_queries(int n) = 0;
  /// A kernel of this name never ends. Empty: none.
  virtual void hang(const std::string& kernel) = 0;
  /// Called when a kernel runs; without it kernels do nothing. Device addresses are host pointers.
  virtual void on_kernel(std::function<void(const Launch&)> kernel) = 0;

  /// Runs the work of a stream up to its next kernel and that kernel, for a kernel that waits for it. False
  /// if the stream has no kernel.
  virtual bool run_kernel_of(int stream) = 0;
  /// True if all these bytes lie in one allocation.
  virtual bool holds(std::uint64_t address, std::size_t bytes) const = 0;

  /// The number of handles that are not destroyed. Kinds: "stream", "event", "memory", "host memory",
  /// "module", "context", "communicator"; "" counts all.
  virtual int live(const std::string& kind) const = 0;
  /// The names of all calls in order, without cuStreamQuery and cuDeviceGetAttribute.
  virtual std::vector<std::string> log() const = 0;
  virtual std::vector<Launch> launches() const = 0;
  /// The misuses of the driver so far: "cuMemFree_v2 while work is queued".
  virtual std::vector<std::string> misuses() const = 0;

 protected:
  ~Control() = default;
};

}  // namespace fake_cuda
