// SPDX-License-Identifier: Apache-2.0
#include "tests/support/many_processes.hpp"

#include <exception>
#include <mutex>
#include <thread>

#include "tests/support/values.hpp"
#include "tutti/devices/mailboxes.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/run/local_backend.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
void as_processes(int count, const std::function<void(int self, std::unique_ptr<Transport>)>& job,
                  int most_looks) {
  Mailboxes mail(most_looks);
  std::vector<std::exception_ptr> errors;
  std::mutex errors_lock;
  std::vector<std::thread> threads;
  for (int self = 0; self < count; ++self)
    threads.emplace_back([&, self] {
      try {
        job(self, mail.transport(self, count));
      } catch (...) {
        const std::lock_guard lock(errors_lock);
        errors.push_back(std::current_exception());
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (!errors.empty()) std::rethrow_exception(errors.front());
}

namespace {

Processes seen_by(int self, const Mesh& mesh, const ManyProcesses& processes) {
  Processes seen = Processes::of(mesh, processes.count, self, processes.split);
  seen.largest_whole_fold = processes.largest_whole_fold;
  return seen;
}

}  // namespace

void on_machines(const Mesh& mesh, const ManyProcesses& processes,
                 const std::function<void(const Machine&)>& job, const MachineOptions& options) {
  as_processes(
      processes.count,
      [&](int self, std::unique_ptr<Transport> transport) {
        MachineOptions own = options;
        own.workers = processes.workers[static_cast<std::size_t>(self) % processes.workers.size()];
        job(Machine(
            std::make_shared<LocalBackend>(seen_by(self, mesh, processes), std::move(transport), own)));
      },
      processes.most_looks);
}

std::vector<Tensors> run_on_processes(const Program& program, const Mesh& mesh,
                                      const std::vector<Tensors>& inputs, const ManyProcesses& processes,
                                      const CompileOptions& options) {
  std::vector<std::vector<Tensors>> results(static_cast<std::size_t>(processes.count));
  as_processes(
      processes.count,
      [&](int self, std::unique_ptr<Transport> transport) {
        Team team(processes.workers[static_cast<std::size_t>(self) % processes.workers.size()]);
        CompileOptions own = options;
        own.transport = transport.get();
        results[static_cast<std::size_t>(self)] =
            run_on_machine(program, seen_by(self, mesh, processes), inputs, team, own);
      },
      processes.most_looks);

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

std::vector<Tensors> drawn_inputs(const Program& program, const Mesh& mesh, std::uint64_t seed) {
  Random random(seed);
  std::vector<ExampleOperand> operands;
  for (Type type : program.types_of(program.inputs)) operands.emplace_back(type, -1, 1);
  return random_values(random, operands, Numbers::any, mesh);
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
