// SPDX-License-Identifier: Apache-2.0
// Three processes share a machine whose limit is one second. Process 1 does something wrong in the middle;
// the others say what they learn of it, and end with the status of their error.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>

#include "tests/mpi/worker/report.hpp"
#include "tutti/mpi/open_mpi.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh six({{"i", 6}});

auto summed() {
  return shard_map([](Array x) { return psum(x, "i"); }, {.mesh = six, .in = P("i"), .out = P()});
}

/// Process 1 makes its fault before the next call. A fault may close the machine.
using Fault = std::function<void(std::optional<Machine>& machine, const Array& x)>;

[[noreturn]] void suffer(const Fault& fault) {
  std::optional<Machine> machine = open_mpi(six, {.machine = {.workers = 1}, .limit_seconds = 1}, Where{});
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

}  // namespace

void suffer_a_stop() {
  suffer([](auto&, const Array&) { std::raise(SIGSTOP); });
}
void suffer_a_kill() {
  suffer([](auto&, const Array&) { std::raise(SIGKILL); });
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
