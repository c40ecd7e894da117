// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <thread>

#include "tutti/base/fork.hpp"

namespace tutti {

/// The way into a library whose statics exit() destroys. It closes before they are: exit() waits for the
/// threads inside, and threads that come later wait for the end of the process. Never destroyed itself.
class ExitGate {
 public:
  /// Enters until the lock is released. Throws R004, with the name of the library, on the thread that calls
  /// exit().
  std::shared_lock<std::shared_mutex> enter(std::string_view library);
  /// Enters until the lock is released; a lock of nothing if the gate is closed.
  std::shared_lock<std::shared_mutex> enter_if_open();
  /// Only the first call counts.
  void close();

 private:
  std::shared_mutex mutex_;  // held by the threads inside
  std::atomic<bool> is_closed_ = false;
  std::thread::id closer_;  // written before is_closed_, never again
  MadeHere is_here_;        // else threads of the parent seem to be inside
};

}  // namespace tutti
