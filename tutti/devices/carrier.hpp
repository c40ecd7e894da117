// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "tutti/base/fork.hpp"

namespace tutti {

/// A thread that does work while the thread of the call does other work. It starts with the first work, and
/// does one after the other. Whoever waits for work that it has not begun does that work. Where the system
/// has no thread, whoever hands work over does it.
class Carrier {
 public:
  Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  /// Waits for the work that was handed over. In the child of a fork, which lacks the thread, it waits for
  /// nothing.
  ~Carrier();

  using Work = std::function<void()>;
  /// Returns the number of the work. What it uses must live until wait() or drain().
  std::size_t hand_over(Work work);
  /// Waits until the work has ended, and throws what it threw.
  void wait(std::size_t number);
  /// True if all work has ended, and nothing that it threw waits for wait().
  bool is_idle();
  /// Waits until all work has ended, and forgets what it threw.
  void drain();
  /// False while somebody waits: then the work should not sleep.
  const std::atomic<bool>& may_rest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  MadeHere is_here_;
};

}  // namespace tutti
