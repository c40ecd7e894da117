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

/// One of several processes, whose timelines join_timelines() joins.
struct ProcessOfJob {
  int number = 0;
  std::int64_t job = 0;  // the same for all of them, and another one in every job
};

/// The tracks of a machine's workers and, optionally, a file of Chrome trace events, which ui.perfetto.dev
/// and chrome://tracing open. The file is complete after every call of a program, whatever happens
/// later. The file keeps the first `most_events` events, and so does memory during a call; further events
/// are only counted. No call fails because of the timeline: if disk or memory is full, recording ends, and
/// failure() says why.
class Timeline {
 public:
  static constexpr std::int64_t default_most_events =
      1 << 18;  // 50 MB of file; 6,500 steps of the digits example

  /// Makes one track per name; the viewer shows them in this order. `title`: the machine's name in the
  /// viewer. Without a file, events are only measured.
  /// Throws R001 for a file that cannot be written, or not at any offset (a pipe), or that another timeline
  /// writes.
  explicit Timeline(const std::vector<std::string>& tracks, const std::string& file = {},
                    const std::string& title = {}, std::int64_t most_events = default_most_events,
                    ProcessOfJob process = {});
  static std::vector<std::string> names_of_workers(int workers);
  /// Tracks "worker 0", "worker 1", ..
  explicit Timeline(int workers, const std::string& file = {}, const std::string& title = {},
                    std::int64_t most_events = default_most_events)
      : Timeline(names_of_workers(workers), file, title, most_events) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// The track with this index. Hold turn() while events are recorded or taken.
  Track& track(int worker) { return tracks_[static_cast<std::size_t>(worker)]; }
  std::mutex& turn() { return turn_; }
  /// The number of events missing from the file; the file states it, too, unless writing failed. Without a
  /// file: the number of events not measured.
  std::int64_t left_out();
  /// "'t.json' cannot be written: No space left on device", if writing failed, else empty.
  std::string failure();
  /// Numbers programs: 1, 2, ..
  int next_program() { return ++programs_; }

  struct Recorded {
    int worker;
    Track::Event event;
  };
  /// Takes the events of all tracks, which are empty then. An event comes before the events inside it; with a
  /// file, events are ordered by begin. Throws std::bad_alloc.
  const std::vector<Recorded>& take();
  /// Adds an event to the file. `label`: a JSON object that ends with "args", without the two closing braces.
  /// `bytes`: moved by the event.
  /// Throws std::bad_alloc.
  void add(const Recorded& recorded, const std::string& label, double bytes);
  /// Writes the added events and completes the file, or gives up. Throws std::bad_alloc.
  void write();
  /// Drops the events that are not in the file and writes nothing from now on. `why`: an errno.
  void give_up(int why);

 private:
  bool put(std::string_view text);  // at end_

  std::string path_;
  File file_;  // null once writing has failed
  int why_it_failed_ = 0;
  long end_ = 0;  // file offset of the next event
  std::int64_t most_events_;
  std::int64_t recorded_ = 0;              // events so far, kept or not
  std::int64_t kept_ = 0;                  // events in the file; without a file, events taken
  std::int64_t pending_ = 0;               // events in `text_`
  std::string text_;                       // to be written
  std::vector<std::string> thread_heads_;  // per worker: follows an event's label
  Track::Clock::time_point start_ = Track::Clock::now();
  std::deque<Track> tracks_;  // a deque keeps pointers to them valid
  std::vector<Recorded> taken_;
  std::mutex turn_;
  std::atomic<int> programs_{0};
};

}  // namespace tutti
