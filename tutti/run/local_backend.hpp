// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "tutti/base/fork.hpp"
#include "tutti/devices/processes.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/devices/transport.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/run/machine.hpp"
#include "tutti/run/together.hpp"

namespace tutti {

class Shards;
class Timeline;

/// Virtual devices: a team of threads of this process computes for all devices, or for those that it owns.
class LocalBackend : public Backend {
 public:
  /// Throws as open_local does.
  LocalBackend(const Mesh& mesh, const MachineOptions& options);
  /// One process of several: `transport` goes to the others. All compile, call and place in the same order.
  /// `job`: a number that these processes share, and no others; it marks their traces.
  LocalBackend(const Processes& processes, std::shared_ptr<Transport> transport,
               const MachineOptions& options, std::int64_t job = 0);
  ~LocalBackend() override;

  std::unique_ptr<Runnable> compile(const Program& program, const CompileRequest& request) override;
  std::shared_ptr<const GlobalArray> place(const std::shared_ptr<const GlobalArray>& array,
                                           const Sharding& sharding, const Where& where) override;
  std::shared_ptr<const GlobalArray> assemble(Type type, const Sharding& sharding, const Tensors& parts,
                                              const Where& where) override;
  /// Zeros for the shards that this process holds. Throws R003 (memory).
  ShardedBuffer room_for(Type type, const Sharding& sharding) const;
  void do_together(const std::function<std::string()>& f, std::string_view differs) override;
  bool drives(int position) const override;
  int process() const override { return processes_.self(); }
  int processes() const override { return processes_.count(); }
  std::string description() const override;
  int workers() const override { return team_.workers(); }
  std::int64_t events_left_out() const override;
  std::string trace_failure() const override;

 private:
  Turn* turn() { return turn_ ? &*turn_ : nullptr; }
  void require_equal_parts(const Shards& shards, const Tensors& parts, const Sharding& sharding);
  static std::string said_of(const Program& program, const CompileRequest& request);

  MachineOptions options_;
  Processes processes_;
  Team team_;
  std::shared_ptr<Transport> transport_;  // null: there are no other processes
  std::optional<Turn> turn_;              // of the processes; none: there are no others
  std::unique_ptr<Timeline> timeline_;    // null: nothing is recorded
  MadeHere is_here_;
};

}  // namespace tutti
