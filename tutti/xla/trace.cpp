// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/trace.hpp"

#include <cerrno>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tutti/run/watch/event_label.hpp"

namespace tutti::xla {
namespace {

int track_of(std::string_view kind) { return kind == "compile" ? 1 : kind == "download" ? 2 : 0; }

}  // namespace

Trace::Trace(const std::string& file, const std::string& title) {
  // Calls with their uploads come one after another. Any thread may compile or download meanwhile.
  const std::vector<std::string> tracks{"calls", "compiles", "downloads"};
  if (!file.empty()) timeline_ = std::make_unique<Timeline>(tracks, file, title);
}

void Trace::record(const TracedWork& what, const std::function<void()>& work) {
  if (!timeline_) return work();
  const Track::Clock::time_point begin = Track::Clock::now();
  try {
    work();
  } catch (...) {
    add(what, begin, Track::Clock::now());
    throw;
  }
  add(what, begin, Track::Clock::now());
}

void Trace::add(const TracedWork& what, Track::Clock::time_point begin, Track::Clock::time_point end) {
  const std::scoped_lock locked(timeline_->turn());
  try {
    nlohmann::ordered_json args = nlohmann::ordered_json::object();
    if (what.where.known()) args["line"] = to_string(what.where);
    args["bytes"] = what.bytes;
    const std::string label = event_label(what.name, what.kind, args);
    timeline_->track(track_of(what.kind)).events().push_back({nullptr, begin, end});
    for (const Timeline::Recorded& recorded : timeline_->take())
      timeline_->add(recorded, label, static_cast<double>(what.bytes));
    timeline_->write();
  } catch (const std::bad_alloc&) {  // the event is lost, but the work must not fail
    timeline_->give_up(ENOMEM);
  }
}

}  // namespace tutti::xla
