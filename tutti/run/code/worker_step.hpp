// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "tutti/devices/carrier.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/devices/transport.hpp"
#include "tutti/run/code/call_log.hpp"
#include "tutti/run/code/track.hpp"
#include "tutti/run/graph/ids.hpp"

namespace tutti {

/// One of the workers that run a plan together. Without a team, this worker does the work of all.
struct Crew {
  Team* team = nullptr;  // null: alone
  int worker = 0;
  Track* track = nullptr;                // records the worker's steps and waits; null: not recorded
  CallLog* log = nullptr;                // takes the lines of the call; null: nobody reads them
  const Iteration* iteration = nullptr;  // the innermost loop or switch that the plan is in
  Transport* transport = nullptr;        // to other processes; null: there are none
  Transport::Lane lane = Transport::Lane::call;
  Carrier* carrier = nullptr;             // does the steps; null: a worker does
  Track* track_of_carrier = nullptr;      // of the steps that a worker hands over
  const std::stop_token* stop = nullptr;  // ends the call before the next step; null: nobody can ask for it

  bool alone() const { return team == nullptr; }
  /// Waits at a barrier for all workers. Throws PeerFailed, for the team, if another worker failed.
  void meet() const {
    if (!team) return;
    Track::Span wait(track, nullptr);
    if (!team->barrier(worker)) throw PeerFailed();
  }
  struct PeerFailed {};
};

/// The private state of a worker that runs its steps.
struct StepContext {
  std::byte* scratch;                 // large enough for every step
  std::vector<std::uintptr_t> frame;  // addresses of the present region's refs, for the present unit
  Crew crew;
};

/// An address range that a step reads or writes, for the race checker.
struct Touched {
  std::uintptr_t begin, end;
  bool written;
};
using OnTouched = std::function<void(const Touched&)>;

struct WorkerStep;

/// The code of a step, with all addresses resolved.
class StepCode {
 public:
  StepCode() = default;
  StepCode(const StepCode&) = delete;
  StepCode& operator=(const StepCode&) = delete;
  virtual ~StepCode() = default;

  virtual void run(const WorkerStep& step, StepContext& context) const = 0;
  /// Reports all bytes that run() reads and writes.
  virtual void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const = 0;
};

/// The code of one kind of step. Data has run() and touch() with the same parameters.
template <class Data>
class CodeOf final : public StepCode {
 public:
  explicit CodeOf(Data of) : data(std::move(of)) {}

  void run(const WorkerStep& step, StepContext& context) const override { data.run(step, context); }
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const override {
    data.touch(step, context, on_touched);
  }

  Data data;
};

/// A worker's part of a step: a range of units and, for regions and copies, a range of tiles in each unit.
struct WorkerStep {
  const StepCode* code;
  std::int64_t unit_begin, unit_end;
  std::int64_t tile_begin, tile_end;
  StepId of;  // the step of this part
};

/// Index of a caller's buffer: inputs first, then outputs. The arena has no slot, because it never moves.
using Slot = std::size_t;
/// A pointer in the code of a step that points into a caller's buffer.
struct Relocation {
  std::byte** at;
  Slot slot;
  std::int64_t offset;
};

}  // namespace tutti
