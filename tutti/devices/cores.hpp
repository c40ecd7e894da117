// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <thread>
#include <vector>

namespace tutti {

/// The cores of a team: each helper is bound to one, and the caller, who is bound to none, has one to itself: where both
/// share a core the scheduler leaves them for a tenth of a second, and every hand-off takes a time slice.
class Cores {
 public:
  /// Among the processors that this thread may use. Where there are fewer cores than workers these are hardware
  /// threads; where there are fewer of those, too, nobody is bound.
  explicit Cores(int workers);

  /// Binds the helpers, workers 1, 2, .., to where the calling thread, worker 0, is not. Quick if they are.
  void keep_apart(std::span<std::thread> helpers);

 private:
  void bind(std::thread& helper, int core) const;

  std::vector<std::vector<int>> processors_;  // per core
  std::vector<int> core_of_;                  // per processor; -1: not ours
  std::vector<int> worker_on_;                // per core; 0: no helper
  int callers_ = -1;                          // -1: nobody is bound yet
};

}  // namespace tutti
