// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tutti::xla {

/// One of the processes that run a program together. `name` and `processes` are the same in all of them.
struct Job {
  std::string name;  // distinguishes jobs that use the same port; at most most_name_bytes
  int process = 0;   // of this process; 0 serves the store
  int processes = 1;
  std::string secret = {};  // the same in all of them; nobody else knows it; at most most_secret_bytes
};
inline constexpr std::size_t most_name_bytes = 256, most_secret_bytes = 256;
inline constexpr std::size_t least_secret_bytes = 16;  // of the jobs of open_xla

/// Throws R004 if the name or the secret is too long, or `process` is not one of `processes`.
void check(const Job& job);

}  // namespace tutti::xla
