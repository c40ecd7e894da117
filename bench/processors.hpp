// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <vector>

namespace tutti::bench {

/// That this thread may run on, first to last.
inline std::vector<int> usable_processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  sched_getaffinity(0, sizeof usable, &usable);
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &usable)) processors.push_back(processor);
  return processors;
}

/// This thread, from now on. A refusal costs speed only.
inline void bind_to_processors(const std::vector<int>& processors) {
  cpu_set_t own;
  CPU_ZERO(&own);
  for (int processor : processors) CPU_SET(processor, &own);
  sched_setaffinity(0, sizeof own, &own);
}
inline void bind_to_processor(int processor) { bind_to_processors({processor}); }

inline void bind_to_first_processor() {
  if (const std::vector<int> usable = usable_processors(); !usable.empty()) bind_to_processor(usable.front());
}

}  // namespace tutti::bench
