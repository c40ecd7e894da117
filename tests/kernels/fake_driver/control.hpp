// SPDX-License-Identifier: Apache-2.0
// What tests say to the fake driver, and ask of it.
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
  std::vector<std::uint64_t> arguments;  // as many as the entry in the module's text has .param
};

/// Work is only queued by calls, as on a GPU. It runs when somebody waits for it, as late as events allow: copies that
/// are not ordered read old data.
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

  /// Runs the work of a stream up to its next kernel, and that kernel: for kernels that wait for it. False if it has none.
  virtual bool run_kernel_of(int stream) = 0;
  /// True if all these bytes are of one allocation.
  virtual bool holds(std::uint64_t address, std::size_t bytes) const = 0;

  /// Handles that are not destroyed: "stream", "event", "memory", "host memory", "module", "context", "communicator"; ""
  /// counts all.
  virtual int live(const std::string& kind) const = 0;
  /// The names of all functions in the order of their calls, without those that only ask.
  virtual std::vector<std::string> log() const = 0;
  virtual std::vector<Launch> launches() const = 0;
  /// What a program must not do: "cuMemFree_v2 while work is queued".
  virtual std::vector<std::string> misuses() const = 0;

 protected:
  ~Control() = default;
};

}  // namespace fake_cuda
