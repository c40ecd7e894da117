// SPDX-License-Identifier: Apache-2.0
// The fake GPUs: memory is the host's, work waits in queues.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "tests/kernels/fake_driver/control.hpp"

namespace fake_cuda {

struct Context {
  int device = 0;
  int retained = 0;
  std::set<int> peers;  // devices whose memory it may use
};

/// Work of several streams that runs once all of them have reached it.
struct Meeting {
  std::vector<struct Stream*> streams;
  std::function<void()> run;
  bool is_done = false;
};

struct Event {
  int number = 0;  // records so far
  int reached = 0;
  struct Stream* stream = nullptr;  // of the last record
};

struct Work {
  std::function<void()> run;
  std::optional<std::pair<Event*, int>> awaited;
  std::shared_ptr<Meeting> meeting;
  bool hangs = false;
  bool is_kernel = false;
};

struct Stream {
  Context* context = nullptr;
  int number = 0;
  std::deque<Work> queue;
};

struct Memory {
  int device = 0;  // -1: pinned memory of the host
  std::size_t bytes = 0;
  std::unique_ptr<std::byte[]> block;
};

struct Function {
  std::string name;
  std::vector<int> parameter_bytes;
  int device = 0;
  int most_shared_bytes = 48 << 10;
};
struct Module {
  int device = 0;
  std::string text;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

class State final : public Control {
 public:
  void reset(const Machine& machine) override;
  void fail(const std::string& function, int nth, int error) override { failures[function] = {nth, error}; }
  void delay_queries(int n) override { delays = n; }
  void hang(const std::string& name) override { hanging = name; }
  void on_kernel(std::function<void(const Launch&)> run) override { kernel = std::move(run); }
  bool run_kernel_of(int stream) override;
  bool holds(std::uint64_t address, std::size_t bytes) const override {
    return memory_at(address, bytes) != nullptr;
  }
  int live(const std::string& kind) const override;
  std::vector<std::string> log() const override { return calls; }
  std::vector<Launch> launches() const override { return launched; }
  std::vector<std::string> misuses() const override { return wrong; }

  /// Begins a call. Returns the error that the call must return, or 0. A call before cuInit is a misuse.
  int begin(const std::string& function);
  /// begin() for a call that needs a current context.
  int begin_in_context(const std::string& function);
  int misuse(const std::string& what, int error = 1);
  Context* current() const;
  /// Runs the work of a stream to its end. False if it hangs.
  bool drain(Stream& stream);
  bool has_work() const;
  /// The allocation that [address, address + bytes) lies in, or null.
  const Memory* memory_at(std::uint64_t address, std::size_t bytes) const;

  Machine machine;
  bool is_initialized = false;
  std::vector<std::string> calls, wrong;
  std::vector<Launch> launched;
  std::map<std::string, std::pair<int, int>> failures;
  int delays = 0;
  std::string hanging;
  std::function<void(const Launch&)> kernel;

  std::map<int, Context> contexts;
  std::map<void*, std::unique_ptr<Stream>> streams;
  std::map<void*, std::unique_ptr<Event>> events;
  std::map<void*, std::unique_ptr<Module>> modules;
  std::map<std::uint64_t, Memory> memory;
  std::set<void*> communicators;
  int streams_made = 0;

 private:
  bool run_until(Stream& stream, const std::function<bool()>& is_reached);
  bool run_head(Stream& stream);
};

State& state();
inline Stream* stream_of(void* handle) {
  const auto found = state().streams.find(handle);
  return found == state().streams.end() ? nullptr : found->second.get();
}

}  // namespace fake_cuda
