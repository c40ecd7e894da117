// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tutti::internal {

/// Which process of a job drives each device of a machine, and which one this is.
struct Drivers {
  std::vector<int> process;  // by the machine's number of the device
  int self = 0;
  bool operator==(const Drivers&) const = default;
};

}  // namespace tutti::internal
