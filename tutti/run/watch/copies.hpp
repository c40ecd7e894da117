// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/types/sharding.hpp"

namespace tutti {

/// An argument that a call copied, because it did not have the program's layout.
struct CopiedArgument {
  std::string name;  // "argument [2].0"
  std::int64_t bytes;
  Sharding as;
  std::string from = {};  // if not on the host: " from another machine"
};

/// The copies of arguments that calls of one program made.
struct Copies {
  std::int64_t calls = 0, bytes = 0;  // since it was compiled
  std::vector<CopiedArgument> by_last_call = {};
};

/// "copied into place: 256 B by 2 calls, by the last one 128 B", then the arguments. Empty before the first
/// call.
std::string to_string(const Copies& copies);

}  // namespace tutti
