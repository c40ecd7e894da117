// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/check_races.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tutti/base/require.hpp"
#include "tutti/run/code/future.hpp"

namespace tutti {
namespace {

struct Interval {
  std::uintptr_t begin, end;
  bool written;
  std::size_t worker;
  StepId step;
};

/// Appends an interval, or extends the last one if both are contiguous, like those of consecutive tiles.
void add(std::vector<Interval>& intervals, const Interval& made) {
  if (!intervals.empty()) {
    Interval& last = intervals.back();
    if (last.end == made.begin && last.written == made.written && last.step == made.step) {
      last.end = made.end;
      return;
    }
  }
  intervals.push_back(made);
}

/// Two intervals of different workers that overlap, at least one of them written. Sweeps the intervals in
/// order of `begin` and remembers, per worker, the furthest end of all intervals and of the written ones.
std::optional<std::pair<Interval, Interval>> conflict(std::vector<Interval> intervals, std::size_t workers) {
  std::ranges::sort(intervals, {}, [](const Interval& i) { return i.begin; });
  std::vector<std::optional<Interval>> written(workers), touched(workers);
  for (const Interval& i : intervals) {
    for (std::size_t w = 0; w < workers; ++w) {
      if (w == i.worker) continue;
      const std::optional<Interval>& other = i.written ? touched[w] : written[w];
      if (other && other->end > i.begin) return std::pair{*other, i};
    }
    auto further = [&](std::optional<Interval>& last) {
      if (!last || i.end > last->end) last = i;
    };
    further(touched[i.worker]);
    if (i.written) further(written[i.worker]);
  }
  return std::nullopt;
}

/// Gives each caller's buffer a fake address range of its own; a donated output shares its input's. Never
/// dereferenced.
void place_slots_apart(Schedule& schedule, const std::vector<std::optional<std::size_t>>& overwritten) {
  std::size_t slots = schedule.relocations.size(), outputs = slots - overwritten.size();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    std::size_t at = slot;
    if (slot >= outputs) at = overwritten[slot - outputs].value_or(slot);
    relocate(schedule, slot, reinterpret_cast<std::byte*>((std::uintptr_t{1} << 62) + (at << 48)));
  }
}

/// A step of worker 0 in the lists of a schedule.
struct PlaceInLists {
  std::size_t phase, step;
};

void add_touched(std::vector<Interval>& intervals, const Schedule& schedule, std::size_t worker,
                 const WorkerStep& step, std::size_t as_worker) {
  StepContext context{schedule.scratch[worker].get(), {}, {}};
  step.code->touch(step, context, [&](const Touched& t) {
    if (t.begin < t.end) add(intervals, {t.begin, t.end, t.written, as_worker, step.of});
  });
}

/// Compares a future with the steps that run until its await.
std::optional<std::pair<Interval, Interval>> conflict_with_future(const Schedule& schedule,
                                                                  PlaceInLists launch, PlaceInLists await) {
  std::vector<Interval> intervals;
  add_touched(intervals, schedule, 0, schedule.lists[launch.phase][0][launch.step], 0);
  for (std::size_t phase = launch.phase; phase <= await.phase; ++phase)
    for (std::size_t w = 0; w < schedule.lists[phase].size(); ++w)
      for (std::size_t i = 0; i < schedule.lists[phase][w].size(); ++i) {
        const bool is_before = w == 0 && phase == launch.phase && i <= launch.step;
        const bool is_after = w == 0 && phase == await.phase && i >= await.step;
        if (!is_before && !is_after) add_touched(intervals, schedule, w, schedule.lists[phase][w][i], 1);
      }
  return conflict(std::move(intervals), 2);
}

std::optional<std::string> race_with_future(const Schedule& schedule,
                                            const Indexed<StepId, std::string>& names) {
  std::map<const StepCode*, PlaceInLists> launches;
  for (std::size_t phase = 0; phase < schedule.lists.size(); ++phase)
    for (std::size_t i = 0; i < schedule.lists[phase][0].size(); ++i) {
      const StepCode* code = schedule.lists[phase][0][i].code;
      if (!handed_over(*code).empty()) launches[code] = {phase, i};
      const StepCode* launch = awaited(*code);
      if (!launch) continue;
      if (const auto found = conflict_with_future(schedule, launches.at(launch), {phase, i}))
        return fmt::format("a future and a step beside it touch the same bytes ({} and {})",
                           names[found->first.step], names[found->second.step]);
    }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_race(Schedule& schedule, const Indexed<StepId, std::string>& names,
                                     const std::vector<std::optional<std::size_t>>& overwritten) {
  place_slots_apart(schedule, overwritten);
  for (std::size_t phase = 0; phase < schedule.lists.size(); ++phase) {
    std::vector<Interval> intervals;
    std::size_t workers = schedule.lists[phase].size();
    for (std::size_t w = 0; w < workers; ++w) {
      for (const WorkerStep& step : schedule.lists[phase][w]) add_touched(intervals, schedule, w, step, w);
    }
    if (auto found = conflict(std::move(intervals), workers)) {
      auto [a, b] = *found;
      return fmt::format("phase {}: worker {} {} what worker {} {} ({} and {})", phase, a.worker,
                         a.written ? "writes" : "reads", b.worker, b.written ? "writes" : "reads",
                         names[a.step], names[b.step]);
    }
  }
  return race_with_future(schedule, names);
}

}  // namespace tutti
