// SPDX-License-Identifier: Apache-2.0
#include "tests/support/many_processes.hpp"

#include <atomic>
#include <exception>
#include <thread>

#include "tutti/base/error.hpp"
#include "tutti/devices/mailboxes.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

/// Stops waiting once a process has failed.
class Stoppable final : public Transport {
 public:
  Stoppable(std::unique_ptr<Transport> to, const std::atomic<bool>& failed)
      : to_(std::move(to)), failed_(failed) {}

  Ticket post(std::span<const Part> sends, std::span<const Part> receives) override {
    return to_->post(sends, receives);
  }
  bool is_done(Ticket ticket) override {
    if (to_->is_done(ticket)) return true;
    if (failed_) throw Error(Code::device, {}, "another process has failed");
    return false;
  }

 private:
  std::unique_ptr<Transport> to_;
  const std::atomic<bool>& failed_;
};

}  // namespace

std::vector<Tensors> run_on_processes(const Program& program, const Mesh& mesh,
                                      const std::vector<Tensors>& inputs, const ManyProcesses& processes,
                                      const CompileOptions& options) {
  Mailboxes mail;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> errors;
  std::mutex errors_lock;
  std::vector<std::vector<Tensors>> results(static_cast<std::size_t>(processes.count));
  std::vector<std::thread> threads;
  for (int self = 0; self < processes.count; ++self)
    threads.emplace_back([&, self] {
      try {
        Team team(processes.workers[static_cast<std::size_t>(self) % processes.workers.size()]);
        const std::unique_ptr<Transport> transport =
            std::make_unique<Stoppable>(mail.transport(self), failed);
        CompileOptions own = options;
        own.transport = transport.get();
        results[static_cast<std::size_t>(self)] =
            run_on_machine(program, Processes::of(mesh, processes.count, self, processes.split), inputs, team,
                           own);
      } catch (...) {
        const std::lock_guard lock(errors_lock);
        errors.push_back(std::current_exception());
        failed = true;
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (!errors.empty()) std::rethrow_exception(errors.front());

  std::vector<Tensors> all(program.outputs.size(), Tensors(static_cast<std::size_t>(mesh.devices())));
  for (int self = 0; self < processes.count; ++self) {
    const Processes seen = Processes::of(mesh, processes.count, self, processes.split);
    for (int own = 0; own < seen.box().devices(); ++own) {
      int device = 0;
      for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis)
        device = device * mesh.axes()[axis].size + seen.first(axis) +
                 seen.box().coordinate(own, seen.box().axes()[axis]);
      for (std::size_t k = 0; k < all.size(); ++k)
        all[k][static_cast<std::size_t>(device)] =
            results[static_cast<std::size_t>(self)][k][static_cast<std::size_t>(own)];
    }
  }
  return all;
}

std::vector<Processes::Split> grids_of(const Mesh& mesh) {
  std::vector<Processes::Split> grids{{}};
  for (const Axis& axis : mesh.axes()) {
    std::vector<Processes::Split> more;
    for (const Processes::Split& grid : grids)
      for (int parts = 1; parts <= axis.size; ++parts) {
        if (axis.size % parts != 0) continue;
        more.push_back(grid);
        if (parts > 1) more.back().emplace_back(axis.name, parts);
      }
    grids = std::move(more);
  }
  std::erase(grids, Processes::Split{});
  return grids;
}

int boxes_of(const Processes::Split& split) {
  int boxes = 1;
  for (const auto& [name, parts] : split) boxes *= parts;
  return boxes;
}

std::string grid_name(const Processes::Split& split) {
  std::string text;
  for (const auto& [name, parts] : split)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(parts);
  return text;
}

}  // namespace tutti
