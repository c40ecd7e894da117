// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "tutti/base/fork.hpp"

namespace tutti {

/// A thread that does work while the thread of the call does other work. It starts with the first work, and
/// does one after the other. Whoever waits for work that it has not begun does that work, and so all work
/// where the system has no thread.
class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  /// Waits for the work that was handed over.
  ~Carrier();

  using Work = std::function<void()>;
  /// Returns the number of the work. What it uses must live until wait() or drain().
  std::size_t hand_over(Work work);
  /// Waits until the work has ended, and throws what it threw.
  void wait(std::size_t number);
  /// True if no work is under way.
  bool is_idle();
  /// Waits until all work has ended, and forgets what it threw.
  void drain();
  /// False while somebody waits: then the work should not sleep.
  const std::atomic<bool>& may_rest() const { return may_rest_; }

 private:
  struct Job {
    std::size_t number;
    Work work;
  };
  using Lock = std::unique_lock<std::mutex>;
  void start();
  void run();
  void run_first(Lock& lock);
  void finish_until(std::size_t number, Lock& lock);

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // while one runs, it is the first
  bool runs_ = false;
  std::map<std::size_t, std::exception_ptr> failures_;
  std::size_t last_ = 0;
  std::atomic<bool> may_rest_ = true;
  bool ends_ = false, has_no_thread_ = false;
  std::thread thread_;
  MadeHere is_here_;
};

}  // namespace tutti
