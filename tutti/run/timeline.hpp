// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "tutti/run/track.hpp"
#include "tutti/tensor/whole_file.hpp"

namespace tutti {

/// The tracks of a machine's workers and, if it has one, the file that shows them: Chrome trace events, which
/// ui.perfetto.dev and chrome://tracing open. The file is complete after every call of a program, whatever comes next.
/// Bounded: the file has the first `most_events`, and so has memory of the call that runs; the others are counted.
class Timeline {
 public:
  static constexpr std::int64_t default_most_events =
      1 << 18;  // 50 MB of file; 6,500 steps of the digits example

  /// `title`: what the viewer calls the machine. Without a file the tracks are there to be measured.
  /// Throws R001 for a file that cannot be written, or not in its middle, like a pipe.
  explicit Timeline(int workers, const std::string& file = {}, const std::string& title = {},
                    std::int64_t most_events = default_most_events);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Of one worker. Whoever runs a program holds `turn` while anything is recorded or taken.
  Track& track(int worker) { return tracks_[static_cast<std::size_t>(worker)]; }
  std::mutex& turn() { return turn_; }
  /// Events that the file has no room for, as it says itself; without one, that were not measured.
  std::int64_t left_out();
  /// 1, 2, ..: names for programs.
  int next_program() { return ++programs_; }

  struct Recorded {
    int worker;
    Track::Event event;
  };
  /// What all tracks have, an event before those inside it, in the order in which they began where there is a file; the
  /// tracks are then empty.
  const std::vector<Recorded>& take();
  /// Adds an event to the file. `label`: a JSON object without its end, which is that of "args"; `bytes` it moved.
  void add(const Recorded& recorded, const std::string& label, double bytes);
  /// Makes the file complete again. Throws R001.
  void write();

 private:
  std::string path_;
  File file_;
  long end_ = 0;  // where the next event goes
  std::int64_t most_events_, events_ = 0, left_out_ = 0;
  std::string text_;                       // not in the file yet
  std::vector<std::string> thread_heads_;  // per worker: what follows an event's label
  Track::Clock::time_point start_ = Track::Clock::now();
  std::deque<Track> tracks_;  // which stay where they are
  std::vector<Recorded> taken_;
  std::mutex turn_;
  std::atomic<int> programs_{0};
};

}  // namespace tutti
