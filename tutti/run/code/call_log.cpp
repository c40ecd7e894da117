// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/call_log.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

std::string place_of(const Trip* trip) {
  std::string place;
  for (; trip; trip = trip->outer)
    if (!trip->place->empty()) place.insert(0, *trip->place + (place.empty() ? "" : ", "));
  return place;
}

void CallLog::add(const Trip* trip, std::size_t equation, std::int64_t unit, std::string line) {
  std::vector<const Trip*> trips;
  for (; trip; trip = trip->outer) trips.insert(trips.begin(), trip);
  Entry entry{{}, std::move(line)};
  for (const Trip* each : trips) {
    entry.place.push_back(static_cast<std::int64_t>(each->equation));
    entry.place.push_back(each->number);
  }
  entry.place.push_back(static_cast<std::int64_t>(equation));
  for (const Trip* each : trips) entry.place.push_back(each->position);
  entry.place.push_back(unit);
  const std::scoped_lock locked(lock_);
  entries_.push_back(std::move(entry));
}

std::vector<std::string> CallLog::take() {
  const std::scoped_lock locked(lock_);
  std::ranges::stable_sort(entries_, {}, &Entry::place);  // lines of one unit stay as they were written
  std::vector<std::string> lines;
  for (Entry& entry : entries_) lines.push_back(std::move(entry.line));
  entries_.clear();
  return lines;
}

}  // namespace tutti
