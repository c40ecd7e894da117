// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <unordered_map>

#include "tutti/run/plan/plan.hpp"
#include "tutti/run/watch/timeline.hpp"

namespace tutti {

/// Labels the events of one executable on its machine's timeline, and keeps the last times of each step.
class Recording {
 public:
  static constexpr int most_times = 32;  // of each step, the last ones

  /// `plan` and `timeline` must outlive it; `compiled_at`: the user's line.
  Recording(const Plan& plan, Timeline& timeline, const Where& compiled_at);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Calls `run`, whose workers record their steps on track(), inside one event for the whole call. If `run`
  /// throws, the events until then are kept and the exception is rethrown. Recording itself throws nothing.
  void call(const std::function<void()>& run);
  Track* track(int worker) const { return &timeline_.track(worker); }

  /// The median of the last times of a step; none if the step has not run.
  std::optional<double> nanoseconds(const WorkerStep& step) const { return nanoseconds_of(&step); }
  std::optional<double> call_nanoseconds() const { return nanoseconds_of(&call_); }
  std::int64_t calls() const { return known_.at(&call_).runs; }

 private:
  struct StepRecord {
    std::string label;  // see Timeline::add
    double bytes = 0;
    std::array<std::int64_t, most_times> last{};
    std::int64_t runs = 0;
  };
  void add_steps(const Plan& plan, const std::string& part);
  void take_notes();
  std::optional<double> nanoseconds_of(const WorkerStep* step) const;

  Timeline& timeline_;
  WorkerStep call_{};  // identifies the event of a whole call
  std::unordered_map<const WorkerStep*, StepRecord> known_;
};

}  // namespace tutti
