// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/transport.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

// The first letter of a text says what it is. Behind it stand the number of the thing, a space, and words.
constexpr std::int64_t for_ever =
    std::numeric_limits<std::int64_t>::max();  // the number of one that has failed
constexpr char question = '?', answer = '@', farewell = '!';

std::string names_of(const std::vector<int>& processes) {
  return fmt::format("{} {}", processes.size() == 1 ? "process" : "processes", fmt::join(processes, ", "));
}

}  // namespace

void Transport::begin() {
  if (!failure_.empty()) fail(Code::peer, "the machine can do nothing more, because {}", failure_);
  ++number_;
  is_committed_ = has_agreed_ = false;
  answers_.clear();
  listen();
}

Transport::Ticket Transport::post(std::span<const Part> sends, std::span<const Part> receives,
                                  std::string_view place) {
  place_ = place;
  commit();
  std::uint32_t hash = static_cast<std::uint32_t>(number_);
  for (const char letter : place) hash = hash * 31 + static_cast<unsigned char>(letter);
  return start(sends, receives, static_cast<int>(hash % most_tags));
}

void Transport::finish(Ticket ticket) {
  const Clock::time_point start = Clock::now();
  std::optional<Clock::time_point> stops;
  for (int tries = 1; !is_done(ticket); ++tries) {
    std::this_thread::yield();
    if (tries % 64 != 0) continue;
    const Clock::time_point now = Clock::now();
    listen();
    const std::string reason = reason_to_stop(ticket);
    if (reason.empty()) stops.reset();
    else if (!stops)
      stops = now + std::chrono::milliseconds(200);  // what was sent before the text may come after it
    else if (now > *stops) fail_with(reason);
    if (limit_.count() > 0 && now - start > limit_) give_up(ticket);
  }
  place_.clear();
}

std::string Transport::reason_to_stop(Ticket ticket) {
  if (left_.empty()) return {};
  for (int process : awaited(ticket))
    if (const auto left = left_.find(process); left != left_.end() && left->second.number >= number_)
      return fmt::format("process {} has left: {}", process, left->second.why);
  return {};
}

void Transport::close() {
  if (!has_failed()) tell_all(fmt::format("{}{} it has closed the machine", farewell, for_ever));
}

void Transport::leave(const std::string& why) {
  if (has_agreed_ || has_failed()) return;
  if (is_committed_) failure_ = fmt::format("this process has left a call: {}", why);
  tell_all(fmt::format("{}{} {}", farewell, is_committed_ ? for_ever : number_, why));
}

void Transport::tell_all(const std::string& text) {
  for (int process = 0; process < count_; ++process)
    if (process != self_) tell(process, text);
}

void Transport::listen() {
  while (std::optional<Heard> heard = hear()) {
    const std::string& text = heard->text;
    const std::size_t space = text.find(' ');
    const std::int64_t number = std::stoll(text.substr(1, space - 1));
    const std::string words = text.substr(space + 1);
    if (text[0] == question) {
      tell(heard->process, fmt::format("{}{} {}", answer, number_, place_));
    } else if (text[0] == answer) {
      answers_[heard->process] =
          number == number_ ? words
                            : fmt::format("{}, {} {}", words, counted(std::abs(number_ - number), "call"),
                                          number < number_ ? "before" : "later");
    } else {
      Left& left = left_[heard->process];
      if (left.number < number_) left = {number, words};  // else the first reason stays
    }
  }
}

void Transport::fail_with(std::string why) {
  failure_ = std::move(why);
  tell_all(fmt::format("{}{} {}", farewell, for_ever, failure_));
  fail(Code::peer, "{}", failure_);
}

void Transport::give_up(Ticket ticket) {
  const std::vector<int> missing = awaited(ticket);
  tell_all(fmt::format("{}{} ", question, number_));
  const Clock::time_point asked = Clock::now();
  while (Clock::now() - asked < std::chrono::milliseconds(500)) {
    if (is_done(ticket)) break;  // it came late: others may have failed already, so this process does, too
    listen();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string text;
  for (int process : missing) {
    const auto found = answers_.find(process);
    text += fmt::format("{}process {} has not come here for {} s and {}", text.empty() ? "" : "; ", process,
                        limit_.count(),
                        found == answers_.end()
                            ? "does not answer: it has ended, is stopped, or is busy outside of a call"
                            : "waits elsewhere: at " + found->second);
  }
  std::vector<int> waiting;
  for (const auto& [process, place] : answers_)
    if (place == place_ && std::ranges::find(missing, process) == missing.end()) waiting.push_back(process);
  if (!waiting.empty())
    text += fmt::format("; {} {} here, too", names_of(waiting), waiting.size() == 1 ? "waits" : "wait");
  fail_with(std::move(text));
}

}  // namespace tutti
