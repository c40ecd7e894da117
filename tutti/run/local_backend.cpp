// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/local_backend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/run/code/call_log.hpp"
#include "tutti/run/executable.hpp"
#include "tutti/run/watch/timeline.hpp"

namespace tutti {
namespace {

int worker_count(const Mesh& mesh, const MachineOptions& options) {
  const int wanted = options.workers;
  require(wanted >= 0, Code::device, "{} workers; ask for 1 or more, or 0 to let Tutti choose", wanted);
  if (options.check_nans) return 1;  // the first equation is the first that runs
  if (wanted > 0) return wanted;
  return std::min(Team::default_workers(), mesh.devices());
}

class LocalProgramRun : public Runnable {
 public:
  LocalProgramRun(const Program& program, const Mesh& mesh, Team& team, const CompileOptions& options)
      : executable_(program, mesh, team, options) {}

  GlobalArrays run(GlobalArrays inputs, const Where&) override { return executable_.run(std::move(inputs)); }
  std::string explain() const override { return executable_.explain(); }

 private:
  Executable executable_;
};

}  // namespace

LocalBackend::LocalBackend(const Mesh& mesh, const MachineOptions& options)
    : Backend(mesh),
      options_(options),
      team_(worker_count(mesh, options), Team::Use::when_faster,
            options.workers == 0 ? Team::Fewer::accepted : Team::Fewer::refused) {
  if (!options.trace.empty() || options.measure)
    timeline_ = std::make_unique<Timeline>(team_.workers(), options.trace, "tutti on " + to_string(mesh));
}

LocalBackend::~LocalBackend() = default;

std::unique_ptr<Runnable> LocalBackend::compile(const Program& program, const CompileRequest& request) {
  CompileOptions options;
  options.storage = options_.storage;
#ifdef TUTTI_CHECK_RACES
  options.check_races = true;
#endif
  options.check_assumptions = options_.check_assumptions;
  options.check_nans = options_.check_nans;
  options.fuse = !options_.check_nans;
  options.print = options_.print ? options_.print : print_to_standard_output;
  options.timeline = timeline_.get();
  options.compiled_at = request.where;
  options.input_names = request.input_names;
  options.input_shardings = request.input_shardings;
  return std::make_unique<LocalProgramRun>(program, mesh(), team_, options);
}

std::shared_ptr<const GlobalArray> LocalBackend::place(const std::shared_ptr<const GlobalArray>& array,
                                                       const Sharding& sharding, const Where&) {
  if (array->sharding() == sharding && !array->remote()) return array;
  return std::make_shared<const GlobalArray>(GlobalArray::distributed(*array, sharding));
}

std::shared_ptr<const GlobalArray> LocalBackend::assemble(Type type, const Sharding& sharding,
                                                          const Tensors& parts, const Where&) {
  const Type part = local_type(type, sharding);
  const Layout layout(sharding.mesh, Storage::by_type, {}, {});
  const std::size_t stride = shard_stride(part.bytes());
  const std::shared_ptr<std::byte> block =
      allocate_block(stride * static_cast<std::size_t>(layout.shards(part)));
  for (std::size_t device = 0; device < parts.size(); ++device)
    std::memcpy(block.get() + static_cast<std::size_t>(layout.shard(part, static_cast<int>(device))) * stride,
                parts[device].data(), part.bytes());
  return std::make_shared<const GlobalArray>(type, sharding, ShardedBuffer{block, stride});
}

std::string LocalBackend::description() const {
  return fmt::format("{} ({}), {}", counted(mesh().devices(), "virtual device"), to_string(mesh()),
                     counted(workers(), "worker"));
}

std::int64_t LocalBackend::events_left_out() const { return timeline_ ? timeline_->left_out() : 0; }
std::string LocalBackend::trace_failure() const { return timeline_ ? timeline_->failure() : ""; }

Machine open_local(const Mesh& mesh, const MachineOptions& options, Where where) try {
  return Machine(std::make_shared<LocalBackend>(mesh, options));
} catch (const Error& error) {
  throw error.at(where, "open_local");
}

}  // namespace tutti
