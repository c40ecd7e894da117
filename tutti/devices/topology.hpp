// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tutti {

struct Core {
  std::vector<int> processors;
  int cache;  // cores with the same number share the last one
};

/// The topology of this machine. A single hardware thread is a core, too. Unknown facts are empty, or 0.
struct Topology {
  std::vector<Core> cores, threads;
  std::int64_t largest_cache_bytes = 0;  // of the caches of processor 0, from L2 on
  std::int64_t core_cache_bytes = 0;     // L2 of processor 0; where cores share one, a core's part of it
};

/// Read once, which takes milliseconds.
const Topology& topology();

}  // namespace tutti
