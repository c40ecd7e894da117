// SPDX-License-Identifier: Apache-2.0
#include "tests/support/timeline_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

using Json = nlohmann::json;

/// Track number by thread.
std::map<int, int> tracks_of(const Json& events, int workers, HasCarrier carrier) {
  std::map<int, int> tracks;
  for (const Json& event : events) {
    if (event.at("ph") != "M" || event.at("name") != "thread_name") continue;
    int number = static_cast<int>(tracks.size()), thread = event.at("tid");
    EXPECT_EQ(event.at("args").at("name"), number < workers ? "worker " + std::to_string(number) : "carrier");
    EXPECT_FALSE(tracks.contains(thread));
    tracks[thread] = number;
  }
  EXPECT_EQ(tracks.size(), static_cast<std::size_t>(workers) + (carrier == HasCarrier::yes ? 1 : 0));
  return tracks;
}

std::int64_t nanoseconds(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

/// Puts an event on its track, whose events that are not over yet are `open`.
void place(TimelineEvent& event, std::vector<TimelineEvent>& open) {
  EXPECT_GE(event.end, event.begin);
  while (!open.empty() && open.back().end <= event.begin) open.pop_back();
  for (const TimelineEvent& other : open) event.around.push_back(other.name);
  if (!open.empty()) {
    EXPECT_LE(event.end, open.back().end) << event.name << " ends after " << open.back().name;
  }
  open.push_back(event);
}

}  // namespace

std::vector<TimelineEvent> TimelineFile::of_category(const std::string& category) const {
  std::vector<TimelineEvent> found;
  std::ranges::copy_if(events, std::back_inserter(found),
                       [&](const TimelineEvent& event) { return event.category == category; });
  return found;
}

std::vector<TimelineEvent> TimelineFile::named(const std::string& name, int worker) const {
  std::vector<TimelineEvent> found;
  std::ranges::copy_if(events, std::back_inserter(found), [&](const TimelineEvent& event) {
    return event.name == name && event.worker == worker;
  });
  return found;
}

TimelineFile read_timeline(const std::string& path, int workers, HasCarrier carrier) {
  std::ifstream text(path);
  Json content = Json::parse(text);
  TimelineFile file;
  file.left_out = content.at("otherData").at("events_left_out");
  std::map<int, int> tracks = tracks_of(content.at("traceEvents"), workers, carrier);
  std::vector<std::vector<TimelineEvent>> open(tracks.size());
  for (const Json& event : content.at("traceEvents")) {
    if (event.at("ph") == "M") continue;
    EXPECT_EQ(event.at("ph"), "X");
    int worker = tracks.at(event.at("tid"));
    std::int64_t begin = nanoseconds(event.at("ts"));
    EXPECT_GE(begin, file.events.empty() ? 0 : file.events.back().begin);
    TimelineEvent& added = file.events.emplace_back(TimelineEvent{event.at("name"),
                                                                  event.at("cat"),
                                                                  worker,
                                                                  begin,
                                                                  begin + nanoseconds(event.at("dur")),
                                                                  event.at("args"),
                                                                  {}});
    place(added, open[static_cast<std::size_t>(worker)]);
  }
  return file;
}

TemporaryName::TemporaryName(const std::string& name)
    : path_(std::filesystem::temp_directory_path() / ("tutti_" + std::to_string(getpid()) + "_" + name)) {}

TemporaryName::~TemporaryName() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace tutti
