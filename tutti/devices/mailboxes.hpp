// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tutti/devices/transport.hpp"

namespace tutti {

/// Processes that are threads of one process, and messages in memory: for tests, which need no MPI.
class Mailboxes {
 public:
  /// The transport of process `self` of `count`. The mailboxes must outlive it.
  std::unique_ptr<Transport> transport(int self, int count, double limit_seconds = 60);

 private:
  class OfProcess;
  struct Message {
    int tag;
    std::vector<std::byte> bytes;
  };

  std::mutex lock_;
  std::map<std::pair<int, int>, std::deque<Message>> on_the_way_;  // by sender and receiver
  std::map<int, std::deque<std::pair<int, std::string>>> told_;    // by receiver: sender and text
};

}  // namespace tutti
