// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tutti/base/inside.hpp"

namespace tutti {

/// Workers that run one piece of work together. The caller is worker 0; the others are the team's own
/// threads, the helpers. Helpers spin for a moment after each piece and then sleep, so an idle team uses no
/// processor time. One piece runs at a time; callers on other threads wait their turn. With
/// Binding::own_cores each helper is bound to a core of its own (cores.hpp). A thread that the work starts
/// inherits the binding of the helper that starts it. The caller is never bound.
class Team {
 public:
  /// Two workers where this process may use two processors, else one.
  static int default_workers();
  /// When helpers take part: when that is faster, or always (for tests and measurements).
  enum class Use { when_faster, always };
  /// If the system starts fewer threads than asked for (ulimit -u): throw, or work with fewer.
  enum class Fewer { refused, accepted };
  /// Each helper on a core of its own, or on any core that the thread which makes the team may use.
  enum class Binding { own_cores, none };
  /// Throws R004 (device) if a thread cannot be started and fewer are refused, R003 without memory for its
  /// stack.
  explicit Team(int workers = default_workers(), Use use = Use::when_faster, Fewer fewer = Fewer::refused,
                Binding binding = Binding::own_cores);
  /// In the child of a fork, where the team has no threads, it waits for none.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int workers() const;
  /// Why there are fewer workers than wanted: "the system starts no more threads: ..". Empty if there are
  /// not.
  const std::string& shortage() const;
  /// Calls work(context, worker) for all workers at once and returns when all have returned. The first
  /// exception of one of them lets the others leave at their next barrier and is thrown again here. Throws
  /// R004 inside of work. A worker that waits much longer than `expected_nanoseconds` has been kept waiting
  /// by somebody else's work.
  void run(void (*work)(void* context, int worker), void* context, double expected_nanoseconds = 0);
  /// Inside work only: waits until every worker has come here as often as this one. False: another one has
  /// failed, return at once.
  bool barrier(int worker);
  enum class Helpers {
    ready,    // they spin, or run something
    asleep,   // waking them takes as long as tens of microseconds of work
    crowded,  // somebody else has been using their processors, or there are none: the caller is faster alone
  };
  Helpers helpers() const;
  /// When the team was made there were fewer processors than workers: helpers() will never be anything but
  /// crowded.
  bool is_always_crowded() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tutti
