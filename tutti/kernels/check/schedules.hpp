// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

/// Decides who takes the next turn: random, round-robin or by priorities.
class Turns {
 public:
  /// `turns` is about how many a schedule has: where priorities change.
  Turns(ScheduleKind kind, std::uint64_t seed, const KernelMachine& machine, std::int64_t turns);

  int next(const KernelMachine& machine);
  /// Of 256 atomic reads that may return an old value.
  int stale_reads() const { return stale_reads_; }

 private:
  int random(const KernelMachine& machine);
  int round_robin(const KernelMachine& machine);
  int by_priority(const KernelMachine& machine);

  ScheduleKind kind_;
  Random random_;
  int last_ = -1;
  int slow_rank_ = -1;                    // is passed over, mostly
  std::size_t change_one_in_ = 1;         // turns go to somebody else once in so many
  std::vector<std::int64_t> priorities_;  // by actor
  std::vector<std::int64_t> changes_;     // turns after which the first one becomes the last
  std::int64_t taken_ = 0;
  int stale_reads_ = 64;
};

/// Runs one schedule to its end. `next` chooses one of machine.ready(). The fault, if one is found.
std::optional<FoundFault> run_schedule(KernelMachine& machine, const std::function<int()>& next);

/// Runs schedules until every order of conflicting turns has been run: dynamic partial-order reduction (Flanagan and
/// Godefroid 2005) with sleep sets. Atomic reads return the newest value; a race is found in any of equivalent orders.
class Orders {
 public:
  explicit Orders(KernelMachine& machine) : machine_(machine) { machine.record_accesses(); }

  /// Runs the next schedule; the fault, if one is found.
  std::optional<FoundFault> run();
  bool is_done() const { return is_done_; }
  /// Whose turns the last schedule was.
  std::vector<int> choices() const;

 private:
  using Accesses = std::vector<TurnAccess>;
  /// A turn that was run from here before, or that a run from here would only repeat.
  struct Asleep {
    int actor;
    Accesses accesses;
  };
  /// One turn of the present schedule.
  struct Node {
    int actor = -1;
    std::vector<int> ready, to_try;
    std::vector<Asleep> asleep;
    Accesses accesses;
    std::vector<int>
        clock;  // by actor: its last turn that comes before the end of this one in all equivalent orders
  };
  /// False if every turn from here was run before.
  bool choose(std::size_t depth);
  void add_orders(std::size_t depth);
  bool advance();
  static bool conflict(const Accesses& x, const Accesses& y);
  bool are_ordered(int x, int y) const;

  KernelMachine& machine_;
  std::vector<Node> path_;
  bool is_done_ = false;
};

}  // namespace tutti::kernels
