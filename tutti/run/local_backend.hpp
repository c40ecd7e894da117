// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/devices/team.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {

class Timeline;

/// Virtual devices: a team of threads of this process computes for all devices.
class LocalBackend : public Backend {
 public:
  /// Throws as open_local does.
  LocalBackend(const Mesh& mesh, const MachineOptions& options);
  ~LocalBackend() override;

  std::unique_ptr<Runnable> compile(const Program& program, const CompileRequest& request) override;
  std::shared_ptr<const GlobalArray> place(const std::shared_ptr<const GlobalArray>& array,
                                           const Sharding& sharding, const Where& where) override;
  std::shared_ptr<const GlobalArray> assemble(Type type, const Sharding& sharding, const Tensors& parts,
                                              const Where& where) override;
  std::string description() const override;
  int workers() const override { return team_.workers(); }
  std::int64_t events_left_out() const override;
  std::string trace_failure() const override;

 private:
  MachineOptions options_;
  Team team_;
  std::unique_ptr<Timeline> timeline_;  // null: nothing is recorded
};

}  // namespace tutti
