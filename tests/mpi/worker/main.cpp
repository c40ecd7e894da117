// SPDX-License-Identifier: Apache-2.0
// Usage: mpirun -n PROCESSES mpi_worker PART
// Checks one part of what mpi_tests test, in several processes. Each process knows the whole answer, compares
// what it has, and prints what is wrong; then its status is 1.
#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "tests/mpi/worker/report.hpp"

namespace tutti {

void WorkerReport::print(const std::string& text) {
  constexpr int most_shown = 5;
  if (++wrong_ <= most_shown) fmt::print("process {}: {}\n", own_rank(), text);
}

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

namespace {

struct Part {
  std::string_view name;
  void (*run)(WorkerReport&);
  std::optional<int> level;  // at which this program initialises MPI; none: the library does
};
constexpr Part parts[] = {
    {"examples", run_examples, MPI_THREAD_MULTIPLE},
    {"generated", run_generated_programs, MPI_THREAD_MULTIPLE},
    {"messages", exchange_messages, MPI_THREAD_MULTIPLE},
    {"machines", use_machines, MPI_THREAD_MULTIPLE},
    {"machines_in_turn", use_machines_in_turn, MPI_THREAD_SERIALIZED},
    {"machines_of_the_library", use_machines, std::nullopt},
    {"bytes_between_hosts", count_bytes_between_hosts, std::nullopt},
    {"refusals", refuse_machines, MPI_THREAD_MULTIPLE},
    {"main_thread", use_main_thread, MPI_THREAD_FUNNELED},
    {"differences", [](WorkerReport&) { open_different_machines(); }, std::nullopt},
    {"stop", [](WorkerReport&) { suffer_a_stop(); }, std::nullopt},
    {"kill", [](WorkerReport&) { suffer_a_kill(); }, std::nullopt},
    {"pause", [](WorkerReport&) { suffer_a_pause(); }, std::nullopt},
    {"exit", [](WorkerReport&) { suffer_an_exit(); }, std::nullopt},
    {"end", [](WorkerReport&) { suffer_an_end(); }, std::nullopt},
    {"error", [](WorkerReport&) { suffer_an_error(); }, std::nullopt},
    {"stopped_call", [](WorkerReport&) { suffer_a_stopped_call(); }, std::nullopt},
    {"late", [](WorkerReport&) { suffer_a_late_arrival(); }, std::nullopt},
    {"limits", [](WorkerReport&) { open_with_other_limits(); }, MPI_THREAD_MULTIPLE},
    {"alone", [](WorkerReport&) { open_alone(); }, MPI_THREAD_MULTIPLE},
    {"another_call", [](WorkerReport&) { suffer_another_call(); }, std::nullopt},
};

void finalise() {
  int is_done = 0;
  MPI_Finalized(&is_done);
  if (is_done == 0) MPI_Finalize();
}

int run(const Part& part) {
  int level = 0;
  if (part.level) MPI_Init_thread(nullptr, nullptr, *part.level, &level);
  WorkerReport report;
  try {
    part.run(report);
  } catch (const std::exception& error) {
    fmt::print("process {}: {}\n", own_rank(), error.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others may wait for this one
  }
  fmt::print("{} checks\n", report.checked());
  if (part.level) finalise();
  return report.status();
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  const auto* part = std::ranges::find(tutti::parts, name, &tutti::Part::name);
  if (part != std::end(tutti::parts)) return tutti::run(*part);
  fmt::print(stderr, "usage: mpi_worker PART; there is no part '{}'\n", name);
  return 2;
}
