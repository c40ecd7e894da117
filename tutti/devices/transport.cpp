// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/transport.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <thread>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/carrier.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

// The first letter of a text says what it is. Behind it stand a number, a space, and words. The number is
// that of the thing that the process does, or could not do.
constexpr char question = '?', answer = '@', left_alone = '-', closed = '!', gone = '~', failed = '#';
constexpr int most_times_asked = 10;
constexpr std::int64_t things_between_looks = 16;
constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string names_of(const std::vector<int>& processes) {
  return fmt::format("{} {}", processes.size() == 1 ? "process" : "processes", fmt::join(processes, ", "));
}

const std::atomic<bool> Transport::never = false;

Transport::Transport(int self, int count, double limit_seconds)
    : self_(self), count_(count), limit_(std::chrono::duration<double>(limit_seconds)) {}
Transport::~Transport() = default;

Carrier* Transport::carrier() {
  if (!serves_two_threads()) return nullptr;
  if (!carrier_) carrier_ = std::make_unique<Carrier>();
  return carrier_.get();
}

void Transport::begin() {
  const Lock turn(turn_);
  if (has_failed()) fail(Code::peer, "the machine can do nothing more, because {}", failure_);
  // Hearing takes 0.1 us of MPI. It may throw: then nothing has begun.
  if (number_ % things_between_looks == 0) listen();
  ++number_;
  state_ = State::alone;
  for (auto& answers : answers_) answers.clear();
  std::erase_if(left_, [this](const Departure& left) { return left.number < number_; });
}

Transport::Ticket Transport::post(std::span<const Part> sends, std::span<const Part> receives,
                                  std::string_view place, Lane lane) {
  const Lock turn(turn_);
  require_no_failure();
  places_[static_cast<std::size_t>(lane)] = place;
  commit();
  std::uint32_t hash = static_cast<std::uint32_t>(number_);
  for (const char letter : place) hash = hash * 31 + static_cast<unsigned char>(letter);
  const int tag = static_cast<int>(hash % (most_tags / 2)) * 2 + static_cast<int>(lane);
  return {start(sends, receives, tag), !receives.empty(), lane};
}

class Transport::WaitNoticed {
 public:
  WaitNoticed(Transport& transport, Lane lane) : transport_(transport), lane_(lane) {}
  ~WaitNoticed() {
    if (is_said_) transport_.notice_wait(lane_, {});
  }
  WaitNoticed(const WaitNoticed&) = delete;
  WaitNoticed& operator=(const WaitNoticed&) = delete;

  bool is_said() const { return is_said_; }
  void say(const std::string& for_whom) {
    is_said_ = true;
    transport_.notice_wait(lane_, for_whom);
  }

 private:
  Transport& transport_;
  Lane lane_;
  bool is_said_ = false;
};

void Transport::finish(Ticket ticket, const std::atomic<bool>& may_rest) {
  Lock turn(turn_);
  WaitNoticed wait(*this, ticket.lane);
  Clock::time_point start = Clock::now();
  std::optional<Clock::time_point> stops;
  int times_asked = 0;
  for (int tries = 1;; ++tries) {
    require_no_failure();  // of the other thread
    if (is_done(ticket)) break;
    turn.unlock();
    const bool rests = may_rest;
    if (rests) std::this_thread::sleep_for(std::chrono::microseconds(50));
    else std::this_thread::yield();
    turn.lock();
    if (tries % 64 != 0 && !rests) continue;
    const Clock::time_point now = Clock::now();
    listen();
    if (!wait.is_said() && now - start > std::chrono::milliseconds(100))
      wait.say(fmt::format("{} in {}", names_of(awaited(ticket)), place_of(ticket)));
    const std::string reason = reason_to_stop(ticket);
    if (reason.empty()) stops.reset();
    else if (!stops)
      stops = now + std::chrono::milliseconds(200);  // what was sent before the text may come after it
    else if (now > *stops) fail_with(reason);
    if (limit_.count() <= 0 || now - start <= limit_) continue;
    if (has_come_while_asking(ticket, ++times_asked, turn)) break;
    start = Clock::now();
  }
  if (!ticket.receives) return place_of(ticket).clear();
  // A process that has failed uses its memory for other values, and MPI may have read those. The process
  // told its failure before. The bytes of earlier things had left its memory by then.
  listen();
  const auto spoils_this = [&](const Departure& left) {
    return left.has_failed_at && *left.has_failed_at <= number_;
  };
  if (const auto found = std::ranges::find_if(left_, spoils_this); found != left_.end())
    fail_with(reason_of(*found));
  place_of(ticket).clear();
}

void Transport::commit() {
  const Lock turn(turn_);
  if (state_ == State::alone) state_ = State::committed;
}

void Transport::agree() {
  const Lock turn(turn_);
  if (state_ != State::failed) state_ = State::agreed;
}

bool Transport::has_failed() const {
  const Lock turn(turn_);
  return state_ == State::failed;
}

void Transport::require_no_failure() const {
  if (state_ == State::failed) fail(Code::peer, "{}", failure_);
}

std::string Transport::places() const {
  const auto& [of_call, of_carrier] = places_;
  if (of_call.empty() && of_carrier.empty()) return "its begin";
  return of_call + (of_call.empty() || of_carrier.empty() ? "" : "\n") + of_carrier;
}

std::string Transport::reason_of(const Departure& left) {
  return fmt::format("process {} has left: {}", left.process, left.why);
}

std::string Transport::reason_to_stop(Ticket ticket) {
  if (left_.empty()) return {};
  const std::vector<int> missing = awaited(ticket);
  for (const Departure& left : left_)
    if (left.number >= number_ && std::ranges::find(missing, left.process) != missing.end())
      return reason_of(left);
  return {};
}

void Transport::say_farewell() {
  const Lock turn(turn_);
  if (has_failed() || std::exchange(has_said_farewell_, true)) return;
  const bool is_by_an_error = std::uncaught_exceptions() > 0;
  tell_all(fmt::format("{}{} it has closed the machine{}", is_by_an_error ? gone : closed, number_,
                       is_by_an_error ? " after an error" : ""));
}

Transport::Parting Transport::close() {
  const Lock turn(turn_);
  say_farewell();
  const auto patient_until = Clock::now() + std::chrono::seconds(1);
  while (!has_failed() && std::uncaught_exceptions() == 0 && Clock::now() < patient_until) {
    listen();
    if (std::ranges::any_of(left_, [](const Departure& left) {
          return left.number == for_ever && !left.has_closed;
        }))
      return Parting::after_a_failure;
    if (std::ranges::count(left_, true, &Departure::has_closed) == count_ - 1) return Parting::together;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return Parting::alone;
}

void Transport::leave(const std::string& why) {
  const Lock turn(turn_);
  switch (state_) {
    case State::alone: return tell_all(fmt::format("{}{} {}", left_alone, number_, why));
    case State::committed:
      state_ = State::failed;
      failure_ = fmt::format("this process has left a call: {}", why);
      tell_all(fmt::format("{}{} {}", failed, number_, why));
      return abandon();
    case State::agreed:
    case State::failed: return;
  }
}

void Transport::leave(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    leave(error.what());
  } catch (...) {
    leave("an exception that is no std::exception");
  }
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
      tell(heard->process, fmt::format("{}{} {}", answer, number_, places()));
    } else if (text[0] == answer) {
      for (auto& answers : answers_) answers[heard->process] = {number, lines_of(words)};
    } else if (text[0] == left_alone) {
      left_.push_back({heard->process, number, false, std::nullopt, words});
    } else {
      const auto failed_at = text[0] == failed ? std::optional(number) : std::nullopt;
      left_.push_back({heard->process, for_ever, text[0] == closed, failed_at, words});
    }
  }
}

void Transport::fail_with(std::string why) {
  state_ = State::failed;
  failure_ = std::move(why);
  tell_all(fmt::format("{}{} {}", failed, number_, failure_));
  abandon();
  fail(Code::peer, "{}", failure_);
}

bool Transport::has_come_while_asking(Ticket ticket, int times_asked, Lock& turn) {
  const std::string& here = place_of(ticket);
  std::map<int, Answer>& answers = answers_[static_cast<std::size_t>(ticket.lane)];
  answers.clear();
  tell_all(fmt::format("{}{} ", question, number_));
  const auto is_here = [&](int process) {
    const auto found = answers.find(process);
    return found != answers.end() && found->second.number == number_ &&
           std::ranges::find(found->second.places, here) != found->second.places.end();
  };
  const auto elsewhere = [&](const Answer& answer) {
    const std::string call = answer.number == number_
                                 ? ""
                                 : fmt::format(", {} {}", counted(std::abs(number_ - answer.number), "call"),
                                               answer.number < number_ ? "before" : "later");
    return fmt::format("waits elsewhere: at {}{}", fmt::join(answer.places, " and at "), call);
  };
  const Clock::time_point asked = Clock::now();
  std::vector<int> missing;
  do {
    require_no_failure();
    if (is_done(ticket)) return true;
    listen();
    missing = awaited(ticket);
    if (std::ranges::all_of(missing, is_here)) break;
    turn.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    turn.lock();
  } while (Clock::now() - asked < std::chrono::milliseconds(500));
  // Large messages take their time.
  if (missing.empty() || (times_asked < most_times_asked && std::ranges::all_of(missing, is_here)))
    return false;
  std::string text;
  for (int process : missing) {
    const auto found = answers.find(process);
    text += text.empty() ? "" : "; ";
    if (is_here(process))
      text += fmt::format("process {} is here, too, but what it sends has not come for {} s", process,
                          times_asked * limit_.count());
    else
      text += fmt::format("process {} has not come here for {} s and {}", process, limit_.count(),
                          found == answers.end()
                              ? "does not answer: it has ended, is stopped, or computes for longer than "
                                "that (see limit_seconds)"
                              : elsewhere(found->second));
  }
  std::vector<int> waiting;
  for (const auto& [process, answer] : answers)
    if (is_here(process) && std::ranges::find(missing, process) == missing.end()) waiting.push_back(process);
  if (!waiting.empty())
    text += fmt::format("; {} {} here, too", names_of(waiting), waiting.size() == 1 ? "waits" : "wait");
  fail_with(std::move(text));
}

}  // namespace tutti
