// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/kernel/kernel_check.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/check/check.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/spec/traffic.hpp"

namespace tutti::cli {
namespace {

using namespace kernels;

constexpr std::int64_t most_schedules = 1000;
constexpr double most_seconds = 30;              // no batch of schedules begins later
constexpr std::int64_t most_lanes = 40'000'000;  // loaded or stored in one schedule, which takes some seconds
constexpr std::int64_t most_lanes_of_all =
    200'000'000;  // if no more tiles can be left out: 10 s and 2 to 3 GB

/// Estimates the elements that all ranks load and store in a call.
std::int64_t lanes_of(const Manifest& manifest) {
  std::int64_t bytes = link_bytes(manifest.spec);
  for (int rank = 0; rank < manifest.spec.world; ++rank) {
    const MemoryBytes memory = memory_bytes(manifest.spec, rank);
    bytes += memory.read + memory.written;
  }
  return bytes * 8 / view_of(manifest.spec).moved.bits;
}

/// The number of iterations of a loop over tiles that keeps a schedule short; 0: all iterations.
std::int64_t iterations_for(const Manifest& manifest, int calls) {
  const std::int64_t lanes = lanes_of(manifest) * calls;
  if (lanes <= most_lanes || manifest.launch.grid == 0) return 0;
  const std::int64_t iterations = manifest.launch.tiles() / manifest.launch.grid;
  if (iterations <= 2) return 0;
  return std::max<std::int64_t>(2, static_cast<std::int64_t>(static_cast<double>(iterations) *
                                                             static_cast<double>(most_lanes) /
                                                             static_cast<double>(lanes)));
}

/// Refuses what would take gigabytes and minutes: a program runs two tiles at least, and each rank reads
/// those of all others. `iterations`: that a loop runs; 0: all.
void require_small(const Manifest& manifest, int calls, std::int64_t iterations) {
  const std::int64_t all_iterations =
      std::max<std::int64_t>(manifest.launch.tiles() / std::max(manifest.launch.grid, 1), 1);
  const double part =
      iterations == 0 ? 1
                      : std::min(1.0, static_cast<double>(iterations) / static_cast<double>(all_iterations));
  const double lanes = static_cast<double>(lanes_of(manifest)) * calls * part;
  require(lanes <= static_cast<double>(most_lanes_of_all), Code::memory,
          "--check: the ranks would load and store {} million elements in a schedule of as few tiles as "
          "possible; {} million at most; try a smaller shape or fewer ranks",
          fmt::format("{:.0f}", lanes / 1e6), most_lanes_of_all / 1'000'000);
}

/// Adds the report of a batch to the report of all batches.
void add(CheckReport& all, const CheckReport& batch) {
  if (all.traffic.empty()) all.traffic = batch.traffic;
  all.schedules += batch.schedules;
  all.ops += batch.ops;
  all.turns += batch.turns;
  all.fault = batch.fault;
}

CheckReport checked(const EmittedKernels& emitted, CheckOptions options) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  CheckReport all;
  for (std::int64_t batch = 1; all.schedules < most_schedules && !all.fault;
       batch = std::min<std::int64_t>(2 * batch, 64)) {
    if (all.schedules > 0) {
      const double left = most_seconds - seconds();
      const double each = seconds() / static_cast<double>(all.schedules);
      if (left < each) break;
      batch = std::clamp<std::int64_t>(static_cast<std::int64_t>(left / each), 1, batch);
    }
    options.schedules = std::min(batch, most_schedules - all.schedules);
    add(all, check(emitted, options));
    options.seed += static_cast<std::uint64_t>(options.schedules);
  }
  return all;
}

/// Prints the bytes moved over links and the least possible number. If schedules skip tiles, the bytes are
/// computed by link_bytes().
std::string links_text(const CheckReport& report, const CollectiveSpec& spec, bool has_all_tiles) {
  if (report.traffic.empty()) return "no call ended";
  if (!has_all_tiles)
    return fmt::format("{} a call by formula, because tiles were left out; the least is {}",
                       in_bytes(link_bytes(spec)), in_bytes(least_link_bytes(spec)));
  const kernels::Traffic& traffic = report.traffic.front();
  std::int64_t sum = 0, most = 0;
  for (std::size_t i = 0; i < traffic.link_reads.size(); ++i) {
    sum += traffic.link_reads[i] + traffic.link_writes[i];
    most = std::max(most, traffic.link_reads[i] + traffic.link_writes[i]);
  }
  const std::int64_t least = least_link_bytes(spec);
  if (sum == 0) return "nothing moves between ranks";
  return fmt::format("{} a call, {} over the busiest; the least is {}, {:.3g} times as much moved",
                     in_bytes(sum), in_bytes(most), in_bytes(least),
                     least == 0 ? 1.0 : static_cast<double>(sum) / static_cast<double>(least));
}

}  // namespace

int check_kernel(const Manifest& manifest) {
  CheckOptions options;
  options.most_trips = iterations_for(manifest, options.calls);
  require_small(manifest, options.calls, options.most_trips);
  const CheckReport report = checked({manifest, emit(manifest)}, options);
  fmt::print("check:     {} of {}, {}\n", counted(report.schedules, "schedule"),
             counted(options.calls, "call"), counted(report.ops, "op"));
  if (options.most_trips > 0)
    fmt::print("tiles:     a program runs {} of its {}, the first and the last among them\n",
               options.most_trips, manifest.launch.tiles() / std::max(manifest.launch.grid, 1));
  if (report.schedules < most_schedules && !report.fault)
    fmt::print("schedules: fewer than {}, because the block is large\n", most_schedules);
  const auto is = [&](FaultKind kind) { return report.fault && report.fault->kind == kind ? 1 : 0; };
  const int races = is(FaultKind::race) + is(FaultKind::stale_read);
  const int deadlocks = is(FaultKind::deadlock) + is(FaultKind::livelock);
  fmt::print("found:     races {}, deadlocks {}, other faults {}\n", races, deadlocks,
             (report.fault ? 1 : 0) - races - deadlocks);
  fmt::print("links:     {}\n", links_text(report, manifest.spec, options.most_trips == 0));
  if (report.fault) fmt::print("\n{}: {}\n", name(report.fault->kind), report.fault->text);
  return report.fault ? 1 : 0;
}

}  // namespace tutti::cli
