// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

/// Chooses the actor of the next turn: random, round-robin or by priorities.
class Turns {
 public:
  /// `turns` estimates the schedule's length. Priorities change within it.
  Turns(ScheduleKind kind, std::uint64_t seed, const KernelMachine& machine, std::int64_t turns);

  int next(const KernelMachine& machine);
  /// The share of atomic reads, in 256ths, that return an old value where the memory model allows one.
  int stale_reads() const { return stale_reads_; }

 private:
  int random(const KernelMachine& machine);
  int round_robin(const KernelMachine& machine);
  int by_priority(const KernelMachine& machine);

  ScheduleKind kind_;
  Random random_;
  int last_ = -1;
  int slow_rank_ = -1;                    // an actor of this rank is redrawn 7 times of 8
  std::size_t change_one_in_ = 1;         // an actor is drawn anew once in this number of turns
  std::vector<std::int64_t> priorities_;  // by actor
  std::vector<std::int64_t> changes_;     // turns whose program gets the lowest priority
  std::int64_t taken_ = 0;
  int stale_reads_ = 64;
};

/// Runs one schedule to its end. `next` chooses one of machine.ready(). Returns the fault, if there is one.
std::optional<FoundFault> run_schedule(KernelMachine& machine, std::int64_t most_turns,
                                       const std::function<int()>& next);

/// The livelock of a schedule with more than `turns` turns.
FoundFault endless(std::int64_t turns);

/// Runs every order of conflicting turns: dynamic partial-order reduction with source sets (Abdulla, Aronis,
/// Jonsson, Sagonas 2014) and sleep sets. Atomic reads return the newest value. Equivalent orders have the
/// same races, so it runs one order of each class.
class Orders {
 public:
  explicit Orders(KernelMachine& machine) : machine_(machine) { machine.record_accesses(); }

  /// Runs the next schedule. Returns the fault, if there is one.
  std::optional<FoundFault> run(std::int64_t most_turns);
  bool is_done() const { return is_done_; }
  /// True if the last schedule stopped early, because each way to finish it is equivalent to an earlier
  /// schedule.
  bool is_repetition() const { return is_repetition_; }
  /// The actors of the last schedule, turn by turn.
  std::vector<int> choices() const;

 private:
  using Accesses = std::vector<TurnAccess>;
  /// An element of a sleep set: all schedules that continue with this turn have been run.
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
    std::vector<int> clock;  // by actor: its last turn that happens before the end of this one
  };
  /// Chooses the turn at `depth`. False if every ready turn is asleep.
  bool choose(std::size_t depth);
  void add_orders(std::size_t depth);
  void reverse(std::size_t earlier, std::size_t later);
  bool precedes(std::size_t earlier, std::size_t later) const;
  bool advance();
  static bool conflict(const Accesses& x, const Accesses& y);
  bool are_ordered(int x, int y) const;

  KernelMachine& machine_;
  std::vector<Node> path_;
  std::size_t first_new_ = 0;  // turns before it are those of the last schedule
  bool is_done_ = false, is_repetition_ = false;
};

}  // namespace tutti::kernels
