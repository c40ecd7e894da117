// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tutti/devices/global_array.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/place/placement.hpp"

namespace tutti {

class Timeline;

struct CompileOptions {
  Storage storage = Storage::by_type;  // per_device is for checking types: slower, the same results
  bool check_assumptions = false;      // compare what assume_invariant takes for equal: slower
  bool fuse = true;
  PlanChoice plan = PlanChoice::cheapest;
  Stores stores = Stores::by_size;
  bool check_races = false;      // takes time and memory in proportion to the data
  Timeline* timeline = nullptr;  // records every step if there is one; it must outlive the executable
  Where compiled_at = {};        // the user's line, for the timeline
  std::vector<std::string> input_names = {};  // as the user knows them, or none
};

/// A program, planned for the devices of a mesh and a team of workers: phases of step lists over buffers of its own.
/// Immutable but for these buffers; calls queue.
class Executable {
 public:
  /// `program` is of whole values; shard_map is Enter and Leave in it. `team` must outlive the executable.
  /// Throws T014 (mesh) if it is for another mesh, R003 (memory) at the equation that takes most, I001 if a vmap axis
  /// is left in it, or the plan has a race.
  Executable(const Program& program, const Mesh& mesh, Team& team, const CompileOptions& options = {});
  ~Executable();

  using Values = std::vector<std::shared_ptr<const GlobalArray>>;
  /// Arrays that lie as the program wants them are used in place, others are copied into place first. The results stay
  /// as they lie; their memory is used again when the last owner drops them. An array that nobody else owns is given
  /// away: an output that can lies over it from then on, also if the call fails; any other is dropped.
  /// Throws T015 (argument) for arrays of other types, R003 (memory) at the equation that makes a result, and what an
  /// opaque unit throws, at its equation. With check_assumptions, T004 at an assume_invariant that is not true. With
  /// Storage::per_device, I001 if devices hold different values where the type says equal.
  Values run(Values inputs);

  /// The phases, with each worker's steps: what, where from, bytes, estimate, with a timeline also the time measured;
  /// memory; what moves at the border.
  std::string explain() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tutti
