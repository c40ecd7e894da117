// SPDX-License-Identifier: Apache-2.0
// fork() in a process with threads: the child has a copy of all memory, but only the thread that
// forked.
#pragma once

#include <mutex>

namespace tutti {

/// The number of forks between the first process that asked and this one.
int forks();

/// Knows whether it was made in this process. In the child of a fork the threads of its owner are missing,
/// and locks that they held stay locked.
class MadeHere {
 public:
  MadeHere() : forks_(forks()) {}
  /// False in a child that was forked later. Cost: 1 ns.
  bool is_true() const { return forks_ == forks(); }

 private:
  int forks_;
};

/// The system calls these around each fork from now on. Throws R003 without memory.
void at_fork(void (*before)(), void (*after)());

/// Makes fork() wait until no other thread holds this static lock: the child may take it. A lock that is
/// taken while another one is held is named before that one.
template <std::mutex& lock>
void free_at_fork() {
  static const bool is_done = (at_fork([] { lock.lock(); }, [] { lock.unlock(); }), true);
  (void)is_done;
}

}  // namespace tutti
