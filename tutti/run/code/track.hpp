// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti {

struct WorkerStep;

/// The events of one worker or of the carrier, ordered by begin. While a program runs only the thread that
/// does the steps accesses the track. Where a future's steps wait to be done, that is the thread that waits.
/// Aligned to two cache lines against false sharing: neighbouring lines are fetched together.
class alignas(128) Track {
 public:
  using Clock = std::chrono::steady_clock;
  struct Event {
    const WorkerStep* step;  // null: the worker waited for others
    Clock::time_point begin, end;
  };

  /// Keeps the first `most` events of a call, as far as there is memory; others are only counted.
  explicit Track(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  /// Records an event from its construction to its destruction, also by an exception. Does nothing if `track`
  /// is null.
  class Span {
   public:
    Span(Track* track, const WorkerStep* step) : track_(track), at_(track ? track->begin(step) : 0) {}
    ~Span() {
      if (track_) track_->end(at_);
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Track* track_;
    std::size_t at_;
  };

  std::vector<Event>& events() { return events_; }
  std::int64_t take_left_out() { return std::exchange(left_out_, 0); }

 private:
  std::size_t begin(const WorkerStep* step) {
    if (events_.size() == most_) return left_out();
    try {
      events_.push_back({step, {}, {}});
    } catch (const std::bad_alloc&) {
      return left_out();
    }
    events_.back().begin = Clock::now();
    return events_.size() - 1;
  }
  std::size_t left_out() {
    ++left_out_;
    return most_;
  }
  void end(std::size_t at) {
    if (at < most_) events_[at].end = Clock::now();
  }

  std::size_t most_;
  std::vector<Event> events_;
  std::int64_t left_out_ = 0;
};

}  // namespace tutti
