// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/schedules.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace tutti::kernels {

Turns::Turns(ScheduleKind kind, std::uint64_t seed, const KernelMachine& machine, std::int64_t turns)
    : kind_(kind), random_(seed ^ 0x5EED) {
  constexpr std::size_t changes[] = {1, 2, 8, 32};
  change_one_in_ = changes[random_.below(4)];
  const std::size_t ranks = static_cast<std::size_t>(machine.rank_of(machine.actors() - 1)) + 1;
  if (random_.below(2) == 0) slow_rank_ = static_cast<int>(random_.below(ranks));
  if (random_.below(4) == 0) stale_reads_ = 0;
  if (kind != ScheduleKind::pct) return;
  priorities_.resize(static_cast<std::size_t>(machine.actors()));
  std::iota(priorities_.begin(), priorities_.end(), 0);
  for (std::size_t i = priorities_.size(); i > 1; --i)
    std::swap(priorities_[i - 1], priorities_[random_.below(i)]);
  const std::size_t depth = 2 + random_.below(3);
  for (std::size_t i = 1; i < depth; ++i)
    changes_.push_back(
        static_cast<std::int64_t>(random_.below(static_cast<std::size_t>(std::max<std::int64_t>(turns, 1)))));
}

int Turns::next(const KernelMachine& machine) {
  ++taken_;
  switch (kind_) {
    case ScheduleKind::round_robin: return last_ = round_robin(machine);
    case ScheduleKind::pct: return last_ = by_priority(machine);
    case ScheduleKind::random:
    case ScheduleKind::exhaustive: break;
  }
  return last_ = random(machine);
}

int Turns::random(const KernelMachine& machine) {
  const std::vector<int>& ready = machine.ready();
  if (change_one_in_ > 1 && last_ >= 0 && random_.below(change_one_in_) != 0 &&
      std::ranges::find(ready, last_) != ready.end())
    return last_;
  int actor = ready[random_.below(ready.size())];
  if (machine.rank_of(actor) == slow_rank_ && random_.below(8) != 0)
    actor = ready[random_.below(ready.size())];
  return actor;
}

int Turns::round_robin(const KernelMachine& machine) {
  int after = -1, first = machine.actors();
  for (int actor : machine.ready()) {
    first = std::min(first, actor);
    if (actor > last_ && (after < 0 || actor < after)) after = actor;
  }
  return after >= 0 ? after : first;
}

int Turns::by_priority(const KernelMachine& machine) {
  const auto priority = [&](int actor) -> std::int64_t& {
    return priorities_[static_cast<std::size_t>(actor)];
  };
  const int first = *std::ranges::max_element(machine.ready(), {}, priority);
  if (std::ranges::find(changes_, taken_) != changes_.end()) priority(first) = -taken_;
  return first;
}

FoundFault endless(std::int64_t turns) {
  return {FaultKind::livelock, fmt::format("no end after {} turns", turns)};
}

std::optional<FoundFault> run_schedule(KernelMachine& machine, std::int64_t most_turns,
                                       const std::function<int()>& next) {
  try {
    while (true) {
      if (machine.ready().empty()) {
        if (machine.is_finished()) return {};
        if (!machine.expire_waits()) return FoundFault{FaultKind::deadlock, machine.waits()};
      }
      machine.turn(next());
      if (machine.turns() > most_turns) return endless(most_turns);
    }
  } catch (const FoundFault& fault) {
    return fault;
  }
}

}  // namespace tutti::kernels
