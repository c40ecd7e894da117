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
  /// A receiver misses a message in its first 0 to `most_looks` looks, a number drawn at random. So messages
  /// with different senders or tags arrive in any order.
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
  std::minstd_rand random_{std::random_device()()};
  std::mutex lock_;
  std::map<std::pair<int, int>, std::deque<Message>> on_the_way_;  // by sender and receiver
  std::map<int, std::deque<std::pair<int, std::string>>> told_;    // by receiver: sender and text
};

}  // namespace tutti
