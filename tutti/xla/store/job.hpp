// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tutti::xla {

/// One process among those that run a program together. All give the same name and number of processes.
struct Job {
  std::string name;  // tells jobs apart that use one port; at most most_name_bytes
  int process = 0;   // of this process; 0 serves the store
  int processes = 1;
};
inline constexpr std::size_t most_name_bytes = 256;

/// Throws R004 if the name is too long, or there is no such process.
void check(const Job& job);

}  // namespace tutti::xla
