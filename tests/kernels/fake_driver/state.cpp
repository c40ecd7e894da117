// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/fake_driver/state.hpp"

#include <algorithm>

namespace fake_cuda {
namespace {

thread_local std::vector<Context*> current_contexts;

}  // namespace

std::vector<Context*>& context_stack() { return current_contexts; }

State& state() {
  static State the_state;
  return the_state;
}

void State::reset(const Machine& new_machine) {
  machine = new_machine;
  is_initialized = false;
  calls.clear();
  wrong.clear();
  launched.clear();
  failures.clear();
  delays = 0;
  hanging.clear();
  kernel = nullptr;
  streams.clear();
  events.clear();
  modules.clear();
  memory.clear();
  communicators.clear();
  contexts.clear();
  streams_made = 0;
  current_contexts.clear();
}

int State::live(const std::string& kind) const {
  int retained = 0, pinned = 0;
  for (const auto& [device, context] : contexts) retained += context.retained;
  for (const auto& [address, block] : memory) pinned += block.device < 0;
  const std::map<std::string, int> counts{{"stream", static_cast<int>(streams.size())},
                                          {"event", static_cast<int>(events.size())},
                                          {"module", static_cast<int>(modules.size())},
                                          {"memory", static_cast<int>(memory.size()) - pinned},
                                          {"host memory", pinned},
                                          {"context", retained},
                                          {"communicator", static_cast<int>(communicators.size())}};
  int sum = 0;
  for (const auto& [name, count] : counts)
    if (kind.empty() || kind == name) sum += count;
  return sum;
}

int State::misuse(const std::string& what, int error) {
  wrong.push_back(what);
  return error;
}

int State::begin(const std::string& function) {
  if (function != "cuStreamQuery" && function != "cuDeviceGetAttribute") calls.push_back(function);
  const auto failure = failures.find(function);
  if (failure != failures.end() && --failure->second.first == 0) {
    const int error = failure->second.second;
    failures.erase(failure);
    return error;
  }
  if (!is_initialized && function != "cuInit") return misuse(function + " before cuInit", 3);
  return 0;
}

int State::begin_in_context(const std::string& function) {
  if (const int error = begin(function)) return error;
  return current() ? 0 : misuse(function + " without a current context", 201);
}

Context* State::current() const { return current_contexts.empty() ? nullptr : current_contexts.back(); }

bool State::has_work() const {
  return std::ranges::any_of(streams, [](const auto& stream) {
    return !stream.second->queue.empty() && !stream.second->queue.front().hangs;
  });
}

const Memory* State::memory_at(std::uint64_t address, std::size_t bytes) const {
  auto found = memory.upper_bound(address);
  if (found == memory.begin()) return nullptr;
  --found;
  return address + bytes <= found->first + found->second.bytes ? &found->second : nullptr;
}

bool State::run_until(Stream& stream, const std::function<bool()>& is_reached) {
  while (!is_reached())
    if (stream.queue.empty() || !run_head(stream)) return false;
  return true;
}

bool State::run_head(Stream& stream) {
  Work& work = stream.queue.front();
  if (work.hangs) return false;
  if (work.awaited) {
    const Event* event = work.awaited->first;
    const int number = work.awaited->second;
    if (event->reached < number && !run_until(*event->stream, [=] { return event->reached >= number; }))
      return false;
  }
  if (const std::shared_ptr<Meeting> meeting = work.meeting; meeting && !meeting->is_done) {
    for (Stream* other : meeting->streams)
      if (!run_until(*other,
                     [&] { return !other->queue.empty() && other->queue.front().meeting == meeting; }))
        return false;
    meeting->run();
    meeting->is_done = true;
  }
  const Work done = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (done.run) done.run();
  return true;
}

bool State::run_kernel_of(int number) {
  for (const auto& [handle, stream] : streams)
    while (stream->number == number && !stream->queue.empty()) {
      const bool is_kernel = stream->queue.front().is_kernel;
      if (!run_head(*stream)) return false;
      if (is_kernel) return true;
    }
  return false;
}

bool State::drain(Stream& stream) {
  return run_until(stream, [&] { return stream.queue.empty(); });
}

}  // namespace fake_cuda

extern "C" fake_cuda::Control* fake_control() { return &fake_cuda::state(); }
