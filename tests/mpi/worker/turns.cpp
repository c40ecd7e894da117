// SPDX-License-Identifier: Apache-2.0
// Counts threads that are in functions of MPI at the same time. The linker takes these functions for those of
// MPI, which has its own under a second name.
#include <fmt/core.h>
#include <mpi.h>

#include <atomic>
#include <thread>

#include "tests/mpi/worker/report.hpp"
#include "tutti/mpi/open_mpi.hpp"
#include "tutti/tutti.hpp"

namespace {

std::atomic<bool> counts = false;
std::atomic<int> calls = 0, inside = 0, meetings = 0;

template <class F>
int counted(const F& call) {
  if (!counts) return call();
  ++calls;
  if (inside.fetch_add(1) > 0) ++meetings;
  std::this_thread::yield();  // another thread may come now
  const int status = call();
  --inside;
  return status;
}

}  // namespace

extern "C" int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return counted([&] { return PMPI_Testall(count, requests, flag, statuses); });
}
extern "C" int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm among,
                         MPI_Request* request) {
  return counted([&] { return PMPI_Isend(bytes, count, type, to, tag, among, request); });
}
extern "C" int MPI_Irecv(void* bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm among,
                         MPI_Request* request) {
  return counted([&] { return PMPI_Irecv(bytes, count, type, from, tag, among, request); });
}

namespace tutti {

void use_machines_in_turn(WorkerReport& report) {
  use_machines(report);
  const Mesh mesh({{"i", 2}});
  const auto calls_of = [&mesh] {
    const Machine machine = open_mpi(mesh, {.machine = {.workers = 1}});
    const auto run = machine.compile(shard_map([](Array x) { return psum(x, "i"); },
                                               {.mesh = mesh, .in = P("i"), .out = P()}),
                                     abstract({2}, DType::f32));
    return [run] {
      const Tensor x({2}, {1.0F, 2.0F});
      for (int call = 0; call < 500; ++call)
        if (run(x).tensor() != Tensor({1}, {3.0F})) return false;
      return true;
    };
  };
  const auto first = calls_of(), second = calls_of();
  counts = true;
  bool other_is_right = false;
  std::thread other([&] { other_is_right = second(); });
  const bool is_right = first();
  other.join();
  counts = false;
  report.expect(is_right && other_is_right, [] { return "another sum"; });
  report.expect(calls > 3000 && meetings == 0, [] {
    return fmt::format("{} of {} calls of MPI meet one of another thread", meetings.load(), calls.load());
  });
}

}  // namespace tutti
