// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/local_backend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/agreement.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/devices/shard_exchange.hpp"
#include "tutti/devices/shards.hpp"
#include "tutti/run/code/call_log.hpp"
#include "tutti/run/executable.hpp"
#include "tutti/run/numbers.hpp"
#include "tutti/run/watch/joined_timeline.hpp"
#include "tutti/run/watch/timeline.hpp"
#include "tutti/tensor/tensor_hash.hpp"

namespace tutti {
namespace {

int worker_count(const Mesh& own, const MachineOptions& options) {
  const int wanted = options.workers;
  require(wanted >= 0, Code::device, "{} workers; ask for 1 or more, or 0 to let Tutti choose", wanted);
  if (options.check_nans) return 1;  // the first equation is the first that runs
  if (wanted > 0) return wanted;
  return std::min(Team::default_workers(), own.devices());
}

}  // namespace

LocalBackend::LocalBackend(const Mesh& mesh, const MachineOptions& options)
    : LocalBackend(Processes(mesh), nullptr, options) {}

LocalBackend::LocalBackend(const Processes& processes, std::shared_ptr<Transport> transport,
                           const MachineOptions& options, std::int64_t job)
    : Backend(processes.whole()),
      options_(options),
      processes_(processes),
      team_(worker_count(processes.box(), options), Team::Use::when_faster,
            options.workers == 0 ? Team::Fewer::accepted : Team::Fewer::refused,
            options.bind ? Team::Binding::own_cores : Team::Binding::none),
      transport_(std::move(transport)) {
  ensure(transport_ || processes.count() == 1, "{} processes without a transport", processes.count());
  require(!transport_ || !options.values, Code::device,
          "MachineOptions::values works in one process; open_local opens such a machine");
  if (transport_) turn_.emplace(*transport_);
  if (options.trace.empty() && !options.measure) return;
  std::vector<std::string> tracks = Timeline::names_of_workers(team_.workers());
  if (transport_) tracks.push_back("carrier");
  std::string title = "tutti on " + to_string(mesh());
  if (transport_) title = fmt::format("process {} of {}", processes.self(), title);
  timeline_ = std::make_unique<Timeline>(tracks, timeline_of_process(options.trace, processes.self()), title,
                                         Timeline::default_most_events, ProcessOfJob{processes.self(), job});
}

LocalBackend::~LocalBackend() {
  if (!timeline_ || !transport_ || options_.trace.empty() || !is_here_.is_true()) return;
  timeline_.reset();  // the file is complete before other processes hear that this one has closed
  const bool joins =  // else each process has its file
      processes_.self() == 0 && transport_->close() == Transport::Parting::together;
  if (!joins) return;
  static_cast<void>(join_timelines(options_.trace, processes_.count()));
}

std::unique_ptr<Runnable> LocalBackend::compile(const Program& program, const CompileRequest& request) {
#ifdef TUTTI_CHECK_RACES
  constexpr bool check_races = true;
#else
  constexpr bool check_races = false;
#endif
  const CompileOptions options{.plan = {.storage = options_.storage,
                                        .fusion = options_.check_nans ? Fusion::off : Fusion::on,
                                        .check_assumptions = options_.check_assumptions,
                                        .most_bytes = options_.memory},
                               .request = request,
                               .check_nans = options_.check_nans,
                               .print = options_.print ? options_.print : print_to_standard_output,
                               .check_races = check_races,
                               .transport = transport_.get(),
                               .turn = turn(),
                               .timeline = timeline_.get(),
                               .stop = options_.stop};
  const auto made = [&]() -> std::unique_ptr<Runnable> {
    return std::make_unique<Executable>(program, processes_, team_, options);
  };
  if (options_.values) return with_numbers(made(), program, mesh(), request, options_.stop);
  if (!transport_) return made();
  return done_together(turn(), [&]() -> std::unique_ptr<Runnable> {
    require_agreement(*transport_, said_of(program, request), "compiles another program than");
    std::unique_ptr<Runnable> run;
    require_same_outcome(*transport_, [&] { run = made(); });
    return run;
  });
}

/// A plan follows from the program and from how its arguments lie. Processes with unlike plans would wait for
/// each other.
std::string LocalBackend::said_of(const Program& program, const CompileRequest& request) {
  std::string text = to_string(program);
  for (std::size_t i = 0; i < request.input_shardings.size(); ++i)
    text += fmt::format("{} lies as {}\n",
                        i < request.input_names.size() ? request.input_names[i] : "an argument",
                        request.input_shardings[i] ? to_string(*request.input_shardings[i])
                                                   : "the program takes it");
  return text;
}

std::shared_ptr<const GlobalArray> LocalBackend::place(const std::shared_ptr<const GlobalArray>& array,
                                                       const Sharding& sharding, const Where&) {
  const std::shared_ptr<const Drivers>& drivers = processes_.drivers();
  const bool is_of_these = same_drivers(array->drivers(), drivers);
  if (array->sharding() == sharding && !array->remote() && is_of_these) return array;
  const Shards shards(array->type(), sharding, drivers.get());
  const std::size_t stride = shard_stride(shards.local().bytes());
  std::shared_ptr<std::byte> block;
  const auto allocate = [&] { block = allocate_block(stride * shards.holders().size()); };
  if (drivers && is_of_these) {
    done_together(turn(), [&] {
      allocate();
      exchange_shards(*array, sharding, *transport_, block.get(), stride);
    });
  } else {
    allocate();
    distribute(*array, sharding, block.get(), stride, drivers.get());
  }
  return std::make_shared<const GlobalArray>(array->type(), sharding, ShardedBuffer{block, stride, drivers});
}

void LocalBackend::do_together(const std::function<std::string()>& f, std::string_view differs) {
  if (!transport_) return static_cast<void>(f());
  done_together(turn(), [&] {
    std::string said;
    require_same_outcome(*transport_, [&] { said = f(); });
    require_agreement(*transport_, said, differs);
  });
}

bool LocalBackend::drives(int position) const {
  const std::shared_ptr<const Drivers>& drivers = processes_.drivers();
  return !drivers || drivers->process[static_cast<std::size_t>(position)] == drivers->self;
}

ShardedBuffer LocalBackend::room_for(Type type, const Sharding& sharding) const {
  const Shards shards(type, sharding, processes_.drivers().get());
  const std::size_t stride = shard_stride(shards.local().bytes());
  return {allocate_block(stride * shards.holders().size()), stride, processes_.drivers()};
}

std::shared_ptr<const GlobalArray> LocalBackend::assemble(Type type, const Sharding& sharding,
                                                          const Tensors& parts, const Where&) {
  const Shards shards(type, sharding, processes_.drivers().get());
  const std::size_t bytes = shards.local().bytes(), stride = shard_stride(bytes);
  const std::shared_ptr<std::byte> block = allocate_block(stride * shards.holders().size());
  std::size_t next = 0;
  for (int device = 0; device < shards.devices(); ++device)
    if (drives(device))
      std::memcpy(block.get() + static_cast<std::size_t>(shards.slot(device)) * stride, parts[next++].data(),
                  bytes);
  if (transport_ && options_.check_assumptions) require_equal_parts(shards, parts, sharding);
  return std::make_shared<const GlobalArray>(type, sharding,
                                             ShardedBuffer{block, stride, processes_.drivers()});
}

/// Compares the parts of all processes. Throws T015 if two hold the same part with other bytes.
void LocalBackend::require_equal_parts(const Shards& shards, const Tensors& parts, const Sharding& sharding) {
  std::vector<PartOnDevice> own;
  for (int device = 0; device < shards.devices(); ++device) {
    if (!drives(device)) continue;
    own.push_back({device, shards.shard(device), hash_of(parts[own.size()])});
  }
  done_together(turn(), [&] {
    if (const auto differ = devices_that_differ(*transport_, own))
      fail(Code::argument, "devices {} and {} hold the same part under {}, but theirs differ", differ->first,
           differ->second, to_string(sharding));
  });
}

std::string LocalBackend::description() const {
  std::string devices =
      fmt::format("{} ({})", counted(mesh().devices(), "virtual device"), to_string(mesh()));
  if (processes_.count() > 1)
    devices = fmt::format("process {} of {} with {} of {}", processes_.self(), processes_.count(),
                          processes_.box().devices(), devices);
  return fmt::format("{}, {}", devices, counted(workers(), "worker"));
}

std::int64_t LocalBackend::events_left_out() const { return timeline_ ? timeline_->left_out() : 0; }
std::string LocalBackend::trace_failure() const { return timeline_ ? timeline_->failure() : ""; }

Machine open_local(const Mesh& mesh, const MachineOptions& options, Where where) try {
  return Machine(std::make_shared<LocalBackend>(mesh, options));
} catch (const Error& error) {
  throw error.at(where, "open_local");
}

}  // namespace tutti
