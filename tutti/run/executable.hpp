// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tutti/devices/processes.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/devices/transport.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/run/graph/plan_options.hpp"

namespace tutti {

class Timeline;

class Turn;

struct CompileOptions {
  PlanOptions plan = {};  // as many workers as the team has
  CompileRequest request = {};
  bool check_nans = false;  // throws R006 where a NaN or an infinity is made; slow
  std::function<void(std::string_view line)> print = {};  // takes the lines of debug_print; empty: drops them
  bool check_races = false;                               // time and memory are proportional to the data
  Transport* transport = nullptr;                         // to the other processes; null: there are none
  Turn* turn = nullptr;          // a call takes it (together.hpp); null: there is nothing to take
  Timeline* timeline = nullptr;  // records every step; must outlive the executable; null: none
  std::stop_token stop = {};     // ends calls; see MachineOptions::stop
};

/// A compiled program: for each phase one list of steps per worker, and the buffers they use. Only the
/// buffers change; concurrent calls run one after another.
class Executable : public Runnable {
 public:
  /// `program` computes on whole values; a shard_map in it begins with Enter and ends with Leave. `team` must
  /// outlive the executable.
  /// Throws T014 (mesh) if `program` is for another mesh, R003 (memory) at the equation with the largest
  /// value, also where it takes more than `plan.most_bytes`, I001 if `program` still has a vmap axis, or the
  /// plan has a race.
  Executable(const Program& program, const Processes& processes, Team& team,
             const CompileOptions& options = {});
  ~Executable() override;

  /// Runs the program. Inputs with the program's layout are used in place, others are copied first. Results
  /// keep the program's layout; their memory is reused once their last owner drops them. An input without
  /// another owner is donated if an output can reuse its memory, also if the call fails; else it is dropped.
  /// Throws T015 (argument) for inputs of other types, R003 (memory) at the equation of a result, and any
  /// exception of an opaque kernel, at its equation. Throws R008 (stopped) at the equation that it stops
  /// before; what donated arguments hold then is lost. With check_assumptions, throws T004 at an
  /// assume_invariant that does not hold. With Storage::per_device, throws I001 if devices hold different
  /// values where the type says equal.
  GlobalArrays run(GlobalArrays inputs, const Where& where = {}) override;

  void add_to(Report& report) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tutti
