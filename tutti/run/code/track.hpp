// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace tutti {

struct WorkerStep;

/// What one worker did and when, in the order in which it began. Nobody else looks while a program runs. On cache lines
/// of its own (two: neighbouring lines are fetched together).
class alignas(128) Track {
 public:
  using Clock = std::chrono::steady_clock;
  struct Event {
    const WorkerStep* step;  // none: it waited for the other workers
    Clock::time_point begin, end;
  };

  /// Events after the first `most` of a call, and those for which there is no memory, are only counted.
  explicit Track(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  /// An event from construction to destruction, also by an exception. On no track it is nothing.
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
