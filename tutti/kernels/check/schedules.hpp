// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

/// Chooses who takes the next turn: random, round-robin or by priorities.
class Turns {
 public:
  /// `turns`: an estimate of the schedule's length. Priorities change somewhere in it.
  Turns(ScheduleKind kind, std::uint64_t seed, const KernelMachine& machine, std::int64_t turns);

  int next(const KernelMachine& machine);
  /// How many of 256 atomic reads return an old value, where they may.
  int stale_reads() const { return stale_reads_; }

 private:
  int random(const KernelMachine& machine);
  int round_robin(const KernelMachine& machine);
  int by_priority(const KernelMachine& machine);

  ScheduleKind kind_;
  Random random_;
  int last_ = -1;
  int slow_rank_ = -1;                    // a draw of this rank is mostly drawn again
  std::size_t change_one_in_ = 1;         // one in so many turns draws a program anew
  std::vector<std::int64_t> priorities_;  // by actor
  std::vector<std::int64_t> changes_;     // turns whose program gets the lowest priority
  std::int64_t taken_ = 0;
  int stale_reads_ = 64;
};

/// Runs one schedule to its end. `next` chooses one of machine.ready(). Returns the fault, if there is one.
std::optional<FoundFault> run_schedule(KernelMachine& machine, std::int64_t most_turns,
                                       const std::function<int()>& next);

/// The fault of a schedule that has more turns than it may have.
FoundFault endless(std::int64_t turns);

/// Runs every order of conflicting turns: dynamic partial-order reduction with source sets (Abdulla, Aronis, Jonsson,
/// Sagonas 2014) and sleep sets. Atomic reads return the newest value. Equivalent orders have the same races, so one of
/// them is run.
class Orders {
 public:
  explicit Orders(KernelMachine& machine) : machine_(machine) { machine.record_accesses(); }

  /// Runs the next schedule. Returns the fault, if there is one.
  std::optional<FoundFault> run(std::int64_t most_turns);
  bool is_done() const { return is_done_; }
  /// True if the last schedule was left early, because an earlier one is equivalent to all that begin so.
  bool is_repetition() const { return is_repetition_; }
  /// The actors of the last schedule, turn by turn.
  std::vector<int> choices() const;

 private:
  using Accesses = std::vector<TurnAccess>;
  /// A turn that need not be run from here: every schedule that begins with it was run before.
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
        clock;  // by actor: its last turn that precedes the end of this one in all equivalent orders
  };
  /// False if no turn from here needs a run.
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
