// SPDX-License-Identifier: Apache-2.0
// Three processes share a machine whose limit is one second. Process 1 does something wrong in the middle;
// the others say what they learn of it, and end with the status of their error.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/mpi/worker/report.hpp"
#include "tutti/mpi/open_mpi.hpp"
#include "tutti/tutti.hpp"

/// In the place of MPI's own, which does the work.
extern "C" int MPI_Finalize() {
  fmt::print("process {} finalises MPI\n", tutti::own_rank());
  std::fflush(stdout);
  return PMPI_Finalize();
}

namespace tutti {
namespace {

const Mesh six({{"i", 6}});

auto summed() {
  return shard_map([](Array x) { return psum(x, "i"); }, {.mesh = six, .in = P("i"), .out = P()});
}

/// Process 1 makes its fault before the next call. A fault may close the machine.
using Fault = std::function<void(std::optional<Machine>& machine, const Array& x)>;

[[noreturn]] void suffer(const Fault& fault, double limit = 1) {
  std::optional<Machine> machine =
      open_mpi(six, {.machine = {.workers = 1}, .limit_seconds = limit, .report_when_ended = true}, Where{});
  const int process = machine->process();
  const Array x = Tensor({6}, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  std::optional run = machine->compile(summed(), x);
  (*run)(x);
  const auto start = std::chrono::steady_clock::now();
  int status = 0;
  try {
    if (process == 1) {
      if (!fault) run.reset(), machine.reset(), std::exit(0);
      fault(machine, x);
    }
    (*run)(x);
  } catch (const Error& error) {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    fmt::print("process {} within {:.0f} s: {}\n", process, std::ceil(waited.count()), error.message());
    std::fflush(stdout);
    status = error.exit_status();
  }
  std::exit(status);
}

/// Process 1 comes when process 0, which sends to it, has given up, and has other values in its memory.
[[noreturn]] void come_late() {
  std::optional<Machine> machine = open_mpi(six, {.machine = {.workers = 1}, .limit_seconds = 1}, Where{});
  const int process = machine->process();
  Array x = Tensor({6, 1'000'000}, std::vector<float>(6'000'000, 1.0F));
  std::optional run = machine->compile(shard_map([](Array v) { return ppermute(v * 2.0F, "i", {{1, 2}}); },
                                                 {.mesh = six, .in = P("i"), .out = P("i")}),
                                       x);
  if (process == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
  int status = 0;
  try {
    const Tensor part = (*run)(x).shard(2 * process);
    const auto elements = part.as<float>();
    if (process == 1)
      fmt::print("process 1: {} elements of {} are right\n", std::ranges::count(elements, 2.0F),
                 elements.size());
  } catch (const Error& error) {
    fmt::print("process {}: {}\n", process, error.message());
    status = error.exit_status();
  }
  std::fflush(stdout);
  run.reset();
  machine.reset();
  x = Array();
  const std::vector<float> others(20'000'000, 7.0F);
  std::this_thread::sleep_for(std::chrono::milliseconds(process == 1 ? 0 : 3'000));
  std::exit(others[0] == 7.0F ? status : 1);
}

/// Process 1 stops its call in the middle of a loop, by a token of its own.
[[noreturn]] void stop_by_a_token() {
  std::stop_source stop;
  std::optional<Machine> machine =
      open_mpi(six, {.machine = {.workers = 1, .stop = stop.get_token()}, .limit_seconds = 20}, Where{});
  const int process = machine->process();
  const Array x = Tensor({6}, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  const auto trip = [](const Array&, const Array& c) { return psum(sin(c), "i") * 0.1F + c; };
  const auto loop = [&](Array v) { return fori_loop(0, 10'000'000, trip, v); };
  std::optional run = machine->compile(shard_map(loop, {.mesh = six, .in = P("i"), .out = P("i")}), x);
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(process == 1 ? 100 : 0));
    if (process == 1) stop.request_stop();
  });
  int status = 0;
  try {
    (*run)(x);
  } catch (const Error& error) {
    fmt::print("process {}: {} {}\n", process, error.label(), error.message());
    std::fflush(stdout);
    status = error.exit_status();
  }
  other.join();
  sleep(1);  // mpirun ends the others when one ends
  std::exit(status);
}

}  // namespace

void suffer_a_late_arrival() { come_late(); }

void suffer_a_stopped_call() { stop_by_a_token(); }

void suffer_a_stop() {
  suffer([](auto&, const Array&) { std::raise(SIGSTOP); });
}
void suffer_a_kill() {
  suffer([](auto&, const Array&) { std::raise(SIGKILL); }, 60);  // mpirun ends the others before
}
void suffer_a_pause() {
  suffer([](auto&, const Array&) { sleep(3); });
}
void suffer_an_exit() {
  suffer([](auto&, const Array&) { std::_Exit(4); });
}
void suffer_an_end() { suffer(nullptr); }
void suffer_an_error() {
  suffer([](auto&, const Array&) {
    fmt::print("process 1: its file is gone\n");
    std::fflush(stdout);
    std::exit(4);
  });
}
void suffer_another_call() {
  suffer([](std::optional<Machine>& machine, const Array& x) {
    const Array placed = machine->place(x, P("i"));  // without a message: the others do not notice
    machine->place(placed, P());
  });
}

}  // namespace tutti
