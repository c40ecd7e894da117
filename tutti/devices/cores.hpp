// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <thread>
#include <vector>

#include "tutti/devices/topology.hpp"

namespace tutti {

/// The cores of a team: each helper is bound to one, and the caller, who is bound to none, has one to itself.
/// Where both share a core the scheduler leaves them for a tenth of a second, and every hand-off takes a time
/// slice. Helpers begin near the caller and move to make way only: callers who take turns on two cores make
/// one move each time.
class Cores {
 public:
  /// Among the processors that this thread may use. Where there are fewer cores than workers these are
  /// hardware threads; where there are fewer of those, too, nobody is bound.
  explicit Cores(int workers);

  /// Binds the helpers, workers 1, 2, .., to where the calling thread, worker 0, is not. Quick if they are.
  /// Helpers that somebody else has bound since are left alone.
  void keep_apart(std::span<std::thread> helpers);

 private:
  void bind_all(std::span<std::thread> helpers);
  void make_way(std::span<std::thread> helpers, int left);

  std::vector<Core> cores_;
  std::vector<int> helper_;   // per core: the worker that is bound there; 0: none
  std::vector<int> core_of_;  // per processor; -1: not ours
  int callers_ = -1;          // -1: nobody is bound yet
};

}  // namespace tutti
