// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tutti/devices/transport.hpp"

namespace tutti {

/// Processes that are threads of one process, and messages in memory: for tests, which need no MPI.
class Mailboxes {
 public:
  /// A message arrives when its receiver has looked for it by chance 0 to `most_looks` times. So messages
  /// of different senders and places arrive in any order.
  explicit Mailboxes(int most_looks = 0) : most_looks_(most_looks) {}
  /// The transport of process `self` of `count`. The mailboxes must outlive it.
  std::unique_ptr<Transport> transport(int self, int count, double limit_seconds = 60);

 private:
  class OfProcess;
  struct Message {
    int tag;
    std::vector<std::byte> bytes;
    int looks;  // until it arrives
  };

  int most_looks_;
  std::minstd_rand random_;
  std::mutex lock_;
  std::map<std::pair<int, int>, std::deque<Message>> on_the_way_;  // by sender and receiver
  std::map<int, std::deque<std::pair<int, std::string>>> told_;    // by receiver: sender and text
};

}  // namespace tutti
