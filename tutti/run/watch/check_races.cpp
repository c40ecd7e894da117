// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/check_races.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"

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

}  // namespace

std::optional<std::string> find_race(Schedule& schedule, const Indexed<StepId, std::string>& names,
                                     const std::vector<std::optional<std::size_t>>& overwritten) {
  place_slots_apart(schedule, overwritten);
  for (std::size_t phase = 0; phase < schedule.lists.size(); ++phase) {
    std::vector<Interval> intervals;
    std::size_t workers = schedule.lists[phase].size();
    for (std::size_t w = 0; w < workers; ++w) {
      StepContext context{schedule.scratch[w].get(), {}, {}};
      for (const WorkerStep& step : schedule.lists[phase][w])
        step.code->touch(step, context, [&](const Touched& t) {
          if (t.begin < t.end) add(intervals, {t.begin, t.end, t.written, w, step.of});
        });
    }
    if (auto found = conflict(std::move(intervals), workers)) {
      auto [a, b] = *found;
      return fmt::format("phase {}: worker {} {} what worker {} {} ({} and {})", phase, a.worker,
                         a.written ? "writes" : "reads", b.worker, b.written ? "writes" : "reads",
                         names[a.step], names[b.step]);
    }
  }
  return std::nullopt;
}

}  // namespace tutti
