// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/run/code/track.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti {

/// The tracks of a machine's workers and, if it has one, the file that shows them: Chrome trace events, which
/// ui.perfetto.dev and chrome://tracing open. The file is complete after every call of a program, whatever comes next.
/// Bounded: the file has the first `most_events`, and so has memory of the call that runs; the others are counted.
/// No call fails because of it: where the file or memory ends, so does the recording, and the timeline knows why.
class Timeline {
 public:
  static constexpr std::int64_t default_most_events =
      1 << 18;  // 50 MB of file; 6,500 steps of the digits example

  /// `title`: what the viewer calls the machine. Without a file the tracks are there to be measured.
  /// Throws R001 for a file that cannot be written, or not in its middle, like a pipe, or that is another timeline's.
  explicit Timeline(int workers, const std::string& file = {}, const std::string& title = {},
                    std::int64_t most_events = default_most_events);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Of one worker. Whoever runs a program holds `turn` while anything is recorded or taken.
  Track& track(int worker) { return tracks_[static_cast<std::size_t>(worker)]; }
  std::mutex& turn() { return turn_; }
  /// Events that are not in the file, as it says itself unless it has failed; without one, that were not measured.
  std::int64_t left_out();
  /// "'t.json' cannot be written: No space left on device": why the file ends before the calls do. Empty: it does not.
  std::string failure();
  /// 1, 2, ..: names for programs.
  int next_program() { return ++programs_; }

  struct Recorded {
    int worker;
    Track::Event event;
  };
  /// What all tracks have, an event before those inside it, in the order in which they began where there is a file; the
  /// tracks are then empty. Throws std::bad_alloc.
  const std::vector<Recorded>& take();
  /// Adds an event to the file. `label`: a JSON object without its end, which is that of "args"; `bytes` it moved.
  /// Throws std::bad_alloc.
  void add(const Recorded& recorded, const std::string& label, double bytes);
  /// Makes the file complete again, or gives up. Throws std::bad_alloc.
  void write();
  /// What has been recorded and not written is left out, and nothing is written from now on. `why`: an errno.
  void give_up(int why);

 private:
  bool put(std::string_view text);  // where the next event goes

  std::string path_;
  File file_;  // none any more once it has failed
  int why_it_failed_ = 0;
  long end_ = 0;  // where the next event goes
  std::int64_t most_events_;
  std::int64_t recorded_ = 0;              // events that began
  std::int64_t kept_ = 0;                  // of them in the file; without one, taken
  std::int64_t pending_ = 0;               // of them in `text_`
  std::string text_;                       // not in the file yet
  std::vector<std::string> thread_heads_;  // per worker: what follows an event's label
  Track::Clock::time_point start_ = Track::Clock::now();
  std::deque<Track> tracks_;  // which stay where they are
  std::vector<Recorded> taken_;
  std::mutex turn_;
  std::atomic<int> programs_{0};
};

}  // namespace tutti
