// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/fork.hpp"

#include <pthread.h>

#include <atomic>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

std::atomic<int> forks_so_far{0};

void add(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  require(pthread_atfork(before, in_parent, in_child) == 0, Code::memory,
          "no memory to note the process; free some, or raise its limit (ulimit -v)");
}

}  // namespace

int forks() {
  static const bool are_counted =
      (add(nullptr, nullptr, [] { forks_so_far.fetch_add(1, std::memory_order_relaxed); }), true);
  (void)are_counted;
  return forks_so_far.load(std::memory_order_relaxed);
}

void at_fork(void (*before)(), void (*after)()) { add(before, after, after); }

}  // namespace tutti
