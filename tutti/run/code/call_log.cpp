// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/call_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "tutti/devices/agreement.hpp"

namespace tutti {

std::string place_of(const Iteration* iteration) {
  std::string place;
  for (; iteration; iteration = iteration->outer)
    if (!iteration->place->empty()) place.insert(0, *iteration->place + (place.empty() ? "" : ", "));
  return place;
}

std::vector<std::int64_t> CallLog::place_in_program(const Iteration* iteration, std::size_t equation,
                                                    std::int64_t unit) {
  std::vector<const Iteration*> iterations;
  for (; iteration; iteration = iteration->outer) iterations.insert(iterations.begin(), iteration);
  std::vector<std::int64_t> place;
  for (const Iteration* each : iterations) {
    place.push_back(static_cast<std::int64_t>(each->equation));
    place.push_back(each->number);
  }
  place.push_back(static_cast<std::int64_t>(equation));
  for (const Iteration* each : iterations) place.push_back(each->position);
  place.push_back(unit);
  return place;
}

void CallLog::add(Entry entry) {
  const std::scoped_lock locked(lock_);
  if (first_failure_ && *first_failure_ < entry.place) return;
  if (std::holds_alternative<Error>(entry.what)) {
    first_failure_ = entry.place;
    std::erase_if(entries_, [&](const Entry& kept) { return entry.place < kept.place; });
  }
  entries_.push_back(std::move(entry));
}

void CallLog::add(const Iteration* iteration, std::size_t equation, std::int64_t unit, std::string line) {
  add({place_in_program(iteration, equation, unit), std::move(line)});
}

void CallLog::add_failure(const Iteration* iteration, std::size_t equation, std::int64_t unit, Error error) {
  add({place_in_program(iteration, equation, unit), std::move(error)});
  for (; iteration; iteration = iteration->outer)
    if (iteration->has_failed) *iteration->has_failed = true;
}

CallLog::Contents CallLog::take() {
  const std::scoped_lock locked(lock_);
  std::ranges::stable_sort(entries_, {}, &Entry::place);  // lines of one unit stay as they were written
  Contents taken;
  for (Entry& entry : entries_) {
    if (auto* failure = std::get_if<Error>(&entry.what)) {
      taken.failure = std::move(*failure);
      break;
    }
    taken.lines.push_back(std::get<std::string>(std::move(entry.what)));
  }
  entries_.clear();
  first_failure_.reset();
  return taken;
}

namespace {

using Json = nlohmann::json;

Json written(const Error& error) {
  const Where& where = error.where();
  return {{"code", static_cast<int>(error.code())},
          {"file", where.file ? where.file : ""},
          {"line", where.line},
          {"column", where.column},
          {"message", error.message()},
          {"notes", error.notes()}};
}

Error read_error(const Json& text) {
  const Where where{intern_name(text.at("file").get<std::string>()), text.at("line"), text.at("column")};
  return {static_cast<Code>(text.at("code").get<int>()), where, text.at("message"), text.at("notes")};
}

/// MessagePack keeps all bytes of a text. Those of users need not be UTF-8.
std::string packed(const Json& json) {
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

}  // namespace

CallLog::Contents CallLog::take(Transport& transport) {
  Json own = Json::array();
  {
    const std::scoped_lock locked(lock_);
    for (const Entry& entry : entries_) {
      const auto* failure = std::get_if<Error>(&entry.what);
      own.push_back({entry.place, failure ? written(*failure) : Json(std::get<std::string>(entry.what))});
    }
    entries_.clear();
    first_failure_.reset();
  }
  // Processes that hold the same value say the same of it: it is said once.
  std::map<std::vector<std::int64_t>, std::size_t> said_by;  // by place: the first process
  const std::vector<std::string> texts = gathered(transport, packed(own));
  for (std::size_t process = 0; process < texts.size(); ++process)
    for (const Json& said : Json::from_msgpack(texts[process])) {
      auto place = said.at(0).get<std::vector<std::int64_t>>();
      if (said_by.try_emplace(place, process).first->second != process) continue;
      if (said.at(1).is_string()) add({std::move(place), said.at(1).get<std::string>()});
      else add({std::move(place), read_error(said.at(1))});
    }
  Contents all = take();  // on process 0; empty on the others
  const std::string failure = told_by(transport, 0, all.failure ? packed(written(*all.failure)) : "");
  transport.agree();
  if (!failure.empty()) all.failure = read_error(Json::from_msgpack(failure));
  return all;
}

void print_to_standard_output(std::string_view line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace tutti
