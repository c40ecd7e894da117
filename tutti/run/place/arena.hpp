// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/run/place/placement.hpp"

namespace tutti {

/// Arena layout: constants (never reused), values private to one worker, values that cross workers. The two
/// pools never share memory, so private cache lines do not migrate.
struct ArenaPlan {
  Indexed<BufferId, std::optional<std::int64_t>> offset;  // none: a caller's buffer, or not in memory
  Indexed<BufferId, std::optional<BufferId>> in_output;   // the output whose memory the buffer uses
  std::int64_t bytes = 0;
  int shared_in_place = 0;  // results that reuse the memory of an operand
};

/// Plans the arena. Two buffers share bytes only if every access to the first happens before the second is
/// written: in an earlier phase; earlier on the same worker; or, if both have the same layout and every
/// worker touches only its own part, earlier in each worker's list.
ArenaPlan plan_arena(const Graph& graph, const Steps& steps, const Placement& placement);

}  // namespace tutti
