// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/exit_gate.hpp"
#include "tutti/base/inside.hpp"

#include <unistd.h>

#include "tutti/base/require.hpp"

namespace tutti {

std::shared_lock<std::shared_mutex> ExitGate::enter(std::string_view library) {
  if (auto inside = enter_if_open()) return inside;
  require(closer_ != std::this_thread::get_id(), Code::device,
          "the process is ending, and {} has ended; compile programs before the statics of the process are "
          "destroyed",
          library);
  while (true) ::pause();
}

std::shared_lock<std::shared_mutex> ExitGate::enter_if_open() {
  std::shared_lock inside(mutex_);
  if (is_closed_) inside = {};
  return inside;
}

// Closed first, then waiting: a thread that finds the gate open holds the lock, so this waits for it. Threads
// that come meanwhile find it closed and do not lengthen the wait.
void ExitGate::close() {
  if (is_closed_) return;
  closer_ = std::this_thread::get_id();
  is_closed_ = true;
  std::unique_lock nobody_inside(mutex_, std::defer_lock);
  if (is_here_.is_true()) nobody_inside.lock();
}

}  // namespace tutti
