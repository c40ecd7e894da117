// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/kernels/check/arguments.hpp"
#include "tutti/kernels/check/schedules.hpp"

namespace tutti::kernels {
namespace {

void require_options(std::span<const EmittedKernels> emitted, const CheckOptions& options) {
  constexpr int most_calls = 4096;
  require(!emitted.empty(), Code::argument, "check: no kernels; give one manifest with its kernels at least");
  require(options.calls >= 1 && options.calls < most_calls, Code::argument,
          "check: {} calls; 1 to {} are possible", options.calls, most_calls - 1);
  require(options.schedules >= 0 && !options.kinds.empty(), Code::argument,
          "check: {} schedules of {} kinds; name a kind, and 0 schedules or more", options.schedules,
          options.kinds.size());
  constexpr std::int64_t most_polls = 1'000'000;
  require(options.wait_limit >= 0 && options.wait_limit <= most_polls, Code::argument,
          "check: a wait limit of {}; 0 to {} are possible", options.wait_limit, most_polls);
  const CollectiveSpec& first = emitted.front().manifest.spec;
  for (const EmittedKernels& each : emitted) {
    require_valid(each.manifest);
    require(each.manifest.spec.world == first.world, Code::argument,
            "check: {} has {} ranks, {} has {}; kernels of one group have one world", each.manifest.name,
            each.manifest.spec.world, emitted.front().manifest.name, first.world);
  }
}

/// Runs the schedules of one check().
class Check {
 public:
  Check(GroupSetup& setup, const CheckOptions& options) : machine_(setup), options_(options) {}

  CheckReport report() && {
    machine_.count_traffic();
    const bool is_exhaustive =
        std::ranges::find(options_.kinds, ScheduleKind::exhaustive) != options_.kinds.end();
    if (!options_.choices.empty()) replay();
    else if (is_exhaustive) run_exhaustive();
    else run_drawn();
    report_.ops = machine_.ops();
    return std::move(report_);
  }

 private:
  bool may_go_on() {
    if (report_.fault) return report_.all_schedules = false;
    if (options_.most_ops > 0 && machine_.ops() >= options_.most_ops) return report_.all_schedules = false;
    return true;
  }

  void note(const std::optional<FoundFault>& fault, ScheduleKind kind, std::uint64_t seed,
            std::vector<int> choices) {
    if (report_.schedules++ == 0) report_.traffic = machine_.traffic();
    machine_.stop_counting();
    report_.turns += machine_.turns();
    if (fault) report_.fault = Fault{fault->kind, fault->text, kind, seed, std::move(choices), 0};
  }

  void run_drawn() {
    std::int64_t turns = options_.pct_turns;
    for (std::int64_t i = 0; i < options_.schedules && may_go_on(); ++i) {
      const ScheduleKind kind = options_.kinds[static_cast<std::size_t>(i) % options_.kinds.size()];
      const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(i);
      Turns order(kind, seed, machine_, turns);
      machine_.begin(seed, order.stale_reads());
      note(run_schedule(machine_, options_.most_turns, [&] { return order.next(machine_); }), kind, seed, {});
      if (report_.fault) report_.fault->pct_turns = turns;
      turns = machine_.turns();
    }
    may_go_on();
  }

  void run_exhaustive() {
    Orders orders(machine_);
    while (!orders.is_done() && may_go_on()) {
      const auto fault = orders.run(options_.most_turns);
      if (orders.is_repetition()) continue;
      note(fault, ScheduleKind::exhaustive, 0, fault ? orders.choices() : std::vector<int>{});
      if (report_.schedules == options_.schedules) break;
    }
    report_.all_schedules = orders.is_done();
  }

  void replay() {
    machine_.begin(1, 0);
    std::size_t at = 0;
    const auto next = [&] {
      const std::vector<int>& ready = machine_.ready();
      const int actor = at < options_.choices.size() ? options_.choices[at++] : ready.front();
      require(std::ranges::find(ready, actor) != ready.end(), Code::argument,
              "check: choice {} is actor {}, which does not exist or waits; the choices are of another check",
              at - 1, actor);
      return actor;
    };
    note(run_schedule(machine_, options_.most_turns, next), ScheduleKind::exhaustive, 0, options_.choices);
  }

  KernelMachine machine_;
  const CheckOptions& options_;
  CheckReport report_;
};

}  // namespace

CheckOptions replay_of(CheckOptions options, const Fault& fault) {
  options.schedules = 1;
  options.kinds = {fault.schedule};
  options.seed = fault.seed;
  options.choices = fault.choices;
  options.pct_turns = fault.pct_turns;
  return options;
}

CheckReport check(std::span<const EmittedKernels> emitted, const CheckOptions& options) {
  require_options(emitted, options);
  std::int64_t timeouts = 0;
  const std::unique_ptr<GroupSetup> setup = group_of(emitted, options, timeouts);
  CheckReport report = Check(*setup, options).report();
  report.timeouts = timeouts;
  return report;
}

CheckReport check(const EmittedKernels& emitted, const CheckOptions& options) {
  return check(std::span(&emitted, 1), options);
}

std::string_view name(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::random: return "random";
    case ScheduleKind::round_robin: return "round_robin";
    case ScheduleKind::pct: return "pct";
    case ScheduleKind::exhaustive: break;
  }
  return "exhaustive";
}

std::string_view name(FaultKind kind) {
  switch (kind) {
    case FaultKind::race: return "race";
    case FaultKind::stale_read: return "stale read";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::livelock: return "livelock";
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::misaligned: return "misaligned";
    case FaultKind::poison: return "poison";
    case FaultKind::wrong_data: return "wrong data";
    case FaultKind::timeout: break;
  }
  return "timeout";
}

std::int64_t Traffic::into(int rank) const {
  std::int64_t bytes = 0;
  for (int from = 0; from < world; ++from) {
    const int link = from * world + rank;
    bytes += link_reads[static_cast<std::size_t>(link)] + link_writes[static_cast<std::size_t>(link)];
  }
  return bytes;
}

std::int64_t Traffic::out_of(int rank) const {
  std::int64_t bytes = 0;
  for (int to = 0; to < world; ++to) {
    const int link = rank * world + to;
    bytes += link_reads[static_cast<std::size_t>(link)] + link_writes[static_cast<std::size_t>(link)];
  }
  return bytes;
}

std::string to_string(const CheckReport& report) {
  std::string text = fmt::format("schedules {}{}\nops {}\nturns {}\n", report.schedules,
                                 report.all_schedules ? "" : ", stopped", report.ops, report.turns);
  if (report.timeouts > 0) text += fmt::format("waits given up {}\n", report.timeouts);
  for (std::size_t call = 0; call < report.traffic.size(); ++call) {
    const Traffic& traffic = report.traffic[call];
    for (int rank = 0; rank < traffic.world; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      text +=
          fmt::format("call {}, rank {}: {} bytes in over links, {} out; {} of its own read, {} written\n",
                      call, rank, traffic.into(rank), traffic.out_of(rank), traffic.own_read[at],
                      traffic.own_written[at]);
    }
    text += fmt::format("call {}: {} signals\n", call, traffic.signals);
  }
  if (!report.fault) return text + "faults 0\n";
  const Fault& fault = *report.fault;
  text += fmt::format("fault: {}, in a schedule of kind {}, seed {}\n", name(fault.kind),
                      name(fault.schedule), fault.seed);
  std::size_t begin = 0;
  while (begin < fault.text.size()) {
    const std::size_t end = std::min(fault.text.find('\n', begin), fault.text.size());
    text += "  " + fault.text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace tutti::kernels
