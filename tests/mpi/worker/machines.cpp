// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <tuple>

#include "tests/mpi/worker/report.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/mpi/library.hpp"
#include "tutti/mpi/open_mpi.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

/// A part of x and the norm of all of it.
std::pair<Array, Array> normalised(const Array& x) {
  const Array norm = sqrt(psum(reduce_sum(x * x), "i"));
  return {x / norm, norm};
}

Array numbers() {
  std::vector<float> values(48);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + static_cast<float>(i) / 7;
  return Tensor({48}, values);
}

std::pair<Array, Array> results_on(const Machine& machine) {
  const Array x = numbers();
  const auto run =
      machine.compile(shard_map(normalised, {.mesh = machine.mesh(), .in = P("i"), .out = {P("i"), P()}}), x);
  run(machine.place(x, P()));
  return run(x);
}

/// The machine computes what one process computes; every process has its own parts and what is equal
/// everywhere.
void expect_results(WorkerReport& report, const Machine& machine) {
  const auto [parts, norm] = results_on(machine);
  const auto [all_parts, expected_norm] = results_on(open_local(machine.mesh(), {.workers = 1}));
  report.expect(norm.tensor() == expected_norm.tensor(), [] { return "another norm"; });
  int own = 0;
  for (int device = 0; device < machine.mesh().devices(); ++device) {
    if (!machine.backend().drives(device)) continue;
    ++own;
    report.expect(parts.shard(device) == all_parts.shard(device),
                  [&] { return fmt::format("another part on device {}", device); });
  }
  report.expect(own == machine.mesh().devices() / machine.processes(),
                [&] { return fmt::format("{} devices of {}", own, machine.mesh().devices()); });
  report.expect(machine.place(parts, P()).tensor() == all_parts.tensor(), [] { return "another whole"; });
}

const Mesh eight({{"i", 8}});

/// The processes with even and with odd numbers; each group has a machine.
void use_machines_of_groups(WorkerReport& report) {
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, own_rank() % 2, own_rank(), &group);
  const Machine machine = open_mpi(group, eight, {.machine = {.workers = 1}});
  MPI_Comm_free(&group);
  report.expect_equal(std::to_string(machine.process()), std::to_string(own_rank() / 2));
  report.expect_equal(std::to_string(machine.processes()),
                      std::to_string((ranks() + 1 - own_rank() % 2) / 2));
  expect_results(report, machine);
}

}  // namespace

void use_machines(WorkerReport& report) {
  const Machine first = open_mpi(eight, {.machine = {.workers = 1}});
  report.expect_equal(std::to_string(first.process()), std::to_string(own_rank()));
  report.expect_equal(std::to_string(first.processes()), std::to_string(ranks()));
  expect_results(report, first);
  {
    const Mesh two({{"j", 2}, {"i", 8}});
    const Machine second = open_mpi(two, {.machine = {.workers = 2}, .split = {{"i", ranks()}}});
    expect_results(report, second);
    expect_results(report, first);
    use_machines_of_groups(report);
  }
  expect_results(report, first);
}

void refuse_machines(WorkerReport& report) {
  const Mesh four({{"i", 4}});
  const auto expect = [&](const Mesh& mesh, const MpiOptions& options, const std::string& text) {
    report.expect_equal(refusal([&] { open_mpi(mesh, options, Where{}); }), text);
  };
  expect(
      Mesh({{"i", 2}}, {.devices = {1, 0}}), {},
      "R004 open_mpi: i=2 on devices 1,0 is a mesh with devices of its own; open a mesh in device order, and "
      "place arrays on this one");
  expect(Mesh({{"i", 3}}), {}, "R004 open_mpi: 2 processes do not divide the mesh i=3; start 1, 3");
  expect(four, {.split = {{"i", 4}}},
         "R004 open_mpi: split: there are 4 boxes, and 2 processes; start 4, or change the split");
  expect(four, {.split = {{"k", 2}}},
         "T001 open_mpi: split: there is no axis 'k', the mesh is i=4; use one of its axes");
  expect(four, {.machine = {.workers = -1}},
         "R004 open_mpi: -1 workers; ask for 1 or more, or 0 to let Tutti choose");
  expect(four, {.limit_seconds = -1},
         "R004 open_mpi: limit_seconds -1; ask for more than 0, or 0 to wait for ever");
  report.expect_equal(
      refusal([&] { open_mpi(MPI_COMM_NULL, four, {}, Where{}); }),
      "R004 open_mpi: the communicator is MPI_COMM_NULL; only processes that belong to one open a "
      "machine of it");
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - own_rank(), 1, &between);
  report.expect_equal(
      refusal([&] { open_mpi(between, four, {}, Where{}); }),
      "R004 open_mpi: the communicator goes from one group of processes to another; merge them with "
      "MPI_Intercomm_merge");
  MPI_Comm_free(&between);
  report.expect_equal(refusal([&] {
                        open_mpi(Mesh({{"i", 3}}));  // refused
                      }),
                      "R004 {file}:{line}: open_mpi: 2 processes do not divide the mesh i=3; start 1, 3");
  MPI_Finalize();
  expect(four, {}, "R004 open_mpi: MPI is finalised already; open the machine before MPI_Finalize");
}

void use_main_thread(WorkerReport& report) {
  std::string text;
  std::thread([&] { text = refusal([] { open_mpi(eight, {}, Where{}); }); }).join();
  report.expect_equal(
      text, "R004 open_mpi: MPI was initialised with MPI_THREAD_FUNNELED, so only the thread that did so "
            "may open a machine and use it; call it there, or initialise MPI with MPI_Init_thread and "
            "MPI_THREAD_MULTIPLE");
  const Machine machine = open_mpi(eight, {.machine = {.workers = 1}});
  expect_results(report, machine);
  const auto body = [](const Array& x) {
    const auto sum = psum_start(x, "i");
    return sin(x) + sum.done();
  };
  const auto run = machine.compile(shard_map(body, {.mesh = eight, .in = P("i"), .out = P("i")}), numbers());
  text = run.explain();
  report.expect(text.find("what is started is done at once: MPI takes calls from its main thread alone") !=
                    std::string::npos,
                [&] { return text; });
}

void open_different_machines() {
  initialise_mpi();
  try {
    open_mpi(eight, {.machine = {.check_nans = own_rank() == 1}}, Where{});
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    std::exit(internal::info(error.code()).exit_status);
  }
  std::exit(0);
}

void open_with_other_limits() {
  try {
    open_mpi(eight, {.limit_seconds = own_rank() == 1 ? -1.0 : 60.0}, Where{});
  } catch (const Error& error) {
    fmt::print("process {}: {}\n", own_rank(), error.what());
  }
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // mpirun ends all at the first error
  std::exit(5);
}

void open_alone() {
  if (own_rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
  try {
    if (own_rank() == 0) open_mpi(eight, {.limit_seconds = 0.5}, Where{});
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    std::fflush(stdout);
    std::exit(error.exit_status());
  }
  std::_Exit(0);
}

}  // namespace tutti
