// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tutti/base/where.hpp"
#include "tutti/run/watch/timeline.hpp"

namespace tutti::xla {

/// An event of the timeline, without its times.
struct TracedWork {
  std::string name;        // "program 1", "argument [2].0"
  const char* kind = "";   // "compile", "call", "upload", "download"
  Where where = {};        // the user's line
  std::int64_t bytes = 0;  // moved
};

/// A timeline of the host's work for a machine of a plugin: compilations, launches, uploads and downloads.
/// The work of the devices is not in it. May be used by several threads.
class Trace {
 public:
  /// `file` empty: records nothing. Throws R001 as Timeline does.
  Trace(const std::string& file, const std::string& title);

  /// Runs `work` and records its duration, also if it throws.
  void record(const TracedWork& what, const std::function<void()>& work);
  bool records() const { return timeline_ != nullptr; }
  int next_program() { return timeline_ ? timeline_->next_program() : 0; }
  std::int64_t events_left_out() const { return timeline_ ? timeline_->left_out() : 0; }
  std::string failure() const { return timeline_ ? timeline_->failure() : ""; }

 private:
  void add(const TracedWork& what, Track::Clock::time_point begin, Track::Clock::time_point end);

  std::unique_ptr<Timeline> timeline_;  // null: nothing is recorded
};

}  // namespace tutti::xla
