// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tutti/devices/team.hpp"
#include "tutti/run/code/track.hpp"
#include "tutti/run/graph/ids.hpp"

namespace tutti {

/// One of the workers that run a plan together, or the only one, who does the work of all.
struct Crew {
  Team* team = nullptr;  // none: alone
  int worker = 0;
  Track* track = nullptr;  // where this one's steps and waits are recorded; none: nowhere

  bool alone() const { return team == nullptr; }
  /// Waits until all workers are here. Throws PeerFailed, which nobody but the team sees.
  void meet() const {
    if (!team) return;
    Track::Span wait(track, nullptr);
    if (!team->barrier(worker)) throw PeerFailed();
  }
  struct PeerFailed {};
};

/// What one worker has to itself while it runs its steps.
struct StepContext {
  std::byte* scratch;                 // as large as the largest step needs
  std::vector<std::uintptr_t> frame;  // addresses of the operands of the region that is being run
  Crew crew;
};

/// Bytes that a step reads or writes; for the race checker.
struct Touched {
  std::uintptr_t begin, end;
  bool written;
};
using OnTouched = std::function<void(const Touched&)>;

struct WorkerStep;

/// What is done in a step, with all addresses worked out.
class StepCode {
 public:
  StepCode() = default;
  StepCode(const StepCode&) = delete;
  StepCode& operator=(const StepCode&) = delete;
  virtual ~StepCode() = default;

  virtual void run(const WorkerStep& part, StepContext& context) const = 0;
  /// Tells of all bytes that run() reads and writes.
  virtual void touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const = 0;
};

/// The code of one kind of step: Data has run and touch of the same parameters.
template <class Data>
class CodeOf final : public StepCode {
 public:
  explicit CodeOf(Data of) : data(std::move(of)) {}

  void run(const WorkerStep& part, StepContext& context) const override { data.run(part, context); }
  void touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const override {
    data.touch(part, context, on_touched);
  }

  Data data;
};

/// A piece of a step for one worker: some of its units and, of a region or copy, some of its tiles.
struct WorkerStep {
  const StepCode* code;
  std::int64_t unit_begin, unit_end;
  std::int64_t tile_begin, tile_end;
  StepId of;  // the step that it is a part of
};

/// Slots that callers fill: inputs first, then outputs. The arena needs none, it never moves.
using Slot = std::size_t;
/// A place in the arguments of a step that holds an address in a caller's buffer.
struct Relocation {
  std::byte** at;
  Slot slot;
  std::int64_t offset;
};

}  // namespace tutti
