// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/carrier.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "tutti/base/inside.hpp"

namespace tutti {

struct Carrier::State {
  struct Job {
    std::size_t number;
    Work work;
  };
  using Lock = std::unique_lock<std::mutex>;

  std::mutex lock;
  std::condition_variable changed;
  std::deque<Job> jobs;  // while one runs, it is the first
  bool runs = false;
  std::map<std::size_t, std::exception_ptr> failures;
  std::size_t last = 0;
  std::atomic<bool> may_rest = true;
  bool ends = false, has_no_thread = false;
  std::thread thread;

  void start();
  void run();
  void run_first(Lock& turn);
  void finish_until(std::size_t number, Lock& turn);
};

Carrier::Carrier() : state_(std::make_unique<State>()) {}

Carrier::~Carrier() {
  if (!is_here_.is_true()) {
    // The missing thread may hold the lock, and waits for the condition: nobody may destroy them.
    [[maybe_unused]] const State* left = state_.release();
    return;
  }
  if (!state_->thread.joinable()) return;
  {
    const std::lock_guard turn(state_->lock);
    state_->ends = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

std::size_t Carrier::hand_over(Work work) {
  State& s = *state_;
  s.start();
  State::Lock turn(s.lock);
  s.jobs.push_back({++s.last, std::move(work)});
  const std::size_t number = s.last;
  if (s.has_no_thread) s.run_first(turn);
  else s.changed.notify_all();
  return number;
}

void Carrier::wait(std::size_t number) {
  State::Lock turn(state_->lock);
  state_->finish_until(number, turn);
  const auto failure = state_->failures.extract(number);
  if (!failure.empty()) std::rethrow_exception(failure.mapped());
}

bool Carrier::is_idle() {
  const std::lock_guard turn(state_->lock);
  return state_->jobs.empty() && state_->failures.empty();
}

void Carrier::drain() {
  State::Lock turn(state_->lock);
  state_->finish_until(state_->last, turn);
  state_->failures.clear();
}

const std::atomic<bool>& Carrier::may_rest() const { return state_->may_rest; }

void Carrier::State::start() try {
  if (!thread.joinable() && !has_no_thread) thread = std::thread([this] { run(); });
} catch (const std::system_error&) {
  has_no_thread = true;
}

/// Until all jobs up to this one have ended.
void Carrier::State::finish_until(std::size_t number, Lock& turn) {
  may_rest = false;
  while (!jobs.empty() && jobs.front().number <= number)
    if (runs) changed.wait(turn);
    else run_first(turn);
  may_rest = true;
}

void Carrier::State::run() {
  Lock turn(lock);
  while (true) {
    changed.wait(turn, [&] { return ends || (!jobs.empty() && !runs); });
    if (jobs.empty()) return;
    run_first(turn);
  }
}

void Carrier::State::run_first(Lock& turn) {
  runs = true;
  const Job& job = jobs.front();  // its place stays while others are added behind it
  turn.unlock();
  std::exception_ptr failure;
  try {
    job.work();
  } catch (...) {
    failure = std::current_exception();
  }
  turn.lock();
  if (failure) failures[job.number] = failure;
  jobs.pop_front();
  runs = false;
  changed.notify_all();
}

}  // namespace tutti
