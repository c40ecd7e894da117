// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/call_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tutti {

std::string place_of(const Trip* trip) {
  std::string place;
  for (; trip; trip = trip->outer)
    if (!trip->place->empty()) place.insert(0, *trip->place + (place.empty() ? "" : ", "));
  return place;
}

std::vector<std::int64_t> CallLog::place_in_program(const Trip* trip, std::size_t equation,
                                                    std::int64_t unit) {
  std::vector<const Trip*> trips;
  for (; trip; trip = trip->outer) trips.insert(trips.begin(), trip);
  std::vector<std::int64_t> place;
  for (const Trip* each : trips) {
    place.push_back(static_cast<std::int64_t>(each->equation));
    place.push_back(each->number);
  }
  place.push_back(static_cast<std::int64_t>(equation));
  for (const Trip* each : trips) place.push_back(each->position);
  place.push_back(unit);
  return place;
}

void CallLog::add(Entry entry) {
  const std::scoped_lock locked(lock_);
  entries_.push_back(std::move(entry));
}

void CallLog::add(const Trip* trip, std::size_t equation, std::int64_t unit, std::string line) {
  add({place_in_program(trip, equation, unit), std::move(line)});
}

void CallLog::add_failure(const Trip* trip, std::size_t equation, std::int64_t unit, Error error) {
  add({place_in_program(trip, equation, unit), std::move(error)});
}

CallLog::Taken CallLog::take() {
  const std::scoped_lock locked(lock_);
  std::ranges::stable_sort(entries_, {}, &Entry::place);  // lines of one unit stay as they were written
  Taken taken;
  for (Entry& entry : entries_) {
    if (auto* failure = std::get_if<Error>(&entry.what)) {
      taken.failure = std::move(*failure);
      break;
    }
    taken.lines.push_back(std::get<std::string>(std::move(entry.what)));
  }
  entries_.clear();
  return taken;
}

void print_to_standard_output(std::string_view line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace tutti
