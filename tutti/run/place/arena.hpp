// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tutti/run/place/placement.hpp"

namespace tutti {

/// Where the buffers lie in the arena. Constants come first and are never reused; then values that stay with one worker,
/// then those that travel: memory of the one kind is not reused for the other, or its lines would travel as well.
struct ArenaPlan {
  Indexed<BufferId, std::optional<std::int64_t>> offset;  // none: a caller's buffer, or not in memory
  std::int64_t bytes = 0;
  int shared_in_place = 0;  // results that took the place of an operand
};

/// Two buffers share bytes only if every access to the first happens before the second is written: in an earlier phase,
/// earlier on the same worker, or, where both lie alike and every worker keeps to its own part, earlier in its list.
ArenaPlan plan_arena(const Graph& graph, const Steps& steps, const Placement& placement);

/// True if an output may be written over an input: they lie alike, and by the same rule no element of the input is read
/// after that of the output is written.
using MayOverwrite = std::function<bool(BufferId input, BufferId output)>;
MayOverwrite may_overwrite(const Graph& graph, const Steps& steps, const Placement& placement);

}  // namespace tutti
