// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/carrier.hpp"

#include <system_error>
#include <utility>

#include "tutti/base/inside.hpp"

namespace tutti {

Carrier::~Carrier() {
  if (!thread_.joinable()) return;
  if (!is_here_.is_true()) {
    thread_.detach();  // the child of a fork does not have it
    return;
  }
  {
    const std::lock_guard lock(lock_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Carrier::start() try {
  if (!thread_.joinable() && !has_no_thread_) thread_ = std::thread([this] { run(); });
} catch (const std::system_error&) {
  has_no_thread_ = true;  // whoever waits does the work
}

std::size_t Carrier::hand_over(Work work) {
  start();
  {
    const std::lock_guard lock(lock_);
    jobs_.push_back({++last_, std::move(work)});
  }
  changed_.notify_all();
  return last_;
}

void Carrier::wait(std::size_t number) {
  Lock lock(lock_);
  finish_until(number, lock);
  const auto failure = failures_.extract(number);
  if (!failure.empty()) std::rethrow_exception(failure.mapped());
}

bool Carrier::is_idle() {
  const std::lock_guard lock(lock_);
  return jobs_.empty() && failures_.empty();
}

void Carrier::drain() {
  Lock lock(lock_);
  finish_until(last_, lock);
  failures_.clear();
}

/// Until all jobs up to this one have ended.
void Carrier::finish_until(std::size_t number, Lock& lock) {
  may_rest_ = false;
  while (!jobs_.empty() && jobs_.front().number <= number)
    if (runs_) changed_.wait(lock);
    else run_first(lock);
  may_rest_ = true;
}

void Carrier::run() {
  Lock lock(lock_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || (!jobs_.empty() && !runs_); });
    if (jobs_.empty()) return;
    run_first(lock);
  }
}

void Carrier::run_first(Lock& lock) {
  runs_ = true;
  const Job& job = jobs_.front();  // its place stays while others are added behind it
  lock.unlock();
  std::exception_ptr failure;
  try {
    job.work();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure) failures_[job.number] = failure;
  jobs_.pop_front();
  runs_ = false;
  changed_.notify_all();
}

}  // namespace tutti
