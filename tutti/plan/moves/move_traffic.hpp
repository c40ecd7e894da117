// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/plan/request/links.hpp"
#include "tutti/plan/request/step.hpp"
#include "tutti/types/block.hpp"

namespace tutti {

/// Who sends how many elements to whom, by the machine's numbers of the devices.
struct MoveTransfer {
  int sender, receiver;
  std::int64_t elements;
};

/// A move from one mesh to another, without terms: each device receives the elements that it lacks. Of
/// several owners the one sends that has sent the fewest elements so far, then the one with the lowest
/// number.
struct MoveTraffic {
  std::vector<MoveTransfer> transfers;  // by sender, then by receiver
  std::int64_t received = 0, sent = 0;  // elements, of the device that has the most
  int peers = 0;                        // that a device receives from, at most
  double cost_received = 0, cost = 0;   // of these elements: received; the larger of sent and received
  bool keeps_blocks = false;            // each device of the second mesh has its very block already
  bool sends_parts = false;  // some device sends only a part of its block, or receives only a part: it packs
  PlanStep::Pattern pattern = PlanStep::Pattern::boxes;
  std::int64_t visits = 0;  // the work it took to find this
};
inline constexpr std::int64_t most_move_visits = 4'000'000;  // of blocks by receivers: some seconds
/// None if more than `most_visits` blocks would have to be looked at.
std::optional<MoveTraffic> move_traffic(const Sharding& before, const Sharding& after, const Shape& shape,
                                        const PairCosts& costs, std::int64_t most_visits);

/// "send_recv", "broadcast", "scatter", "gather", "exchange of boxes".
std::string_view name(PlanStep::Pattern pattern);

}  // namespace tutti
