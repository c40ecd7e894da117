// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/mpi/mpi_links.hpp"

#ifdef TUTTI_HAS_MPI
#include <algorithm>
#include <array>

#include "tutti/base/inside.hpp"
#include "tutti/mpi/library.hpp"

namespace tutti::cli {
namespace {

constexpr int small_bytes = 8, large_bytes = 4 << 20;
constexpr double limit_seconds = 0.05;  // of two links with two messages each: 0.2 s
constexpr std::size_t most_trips = 2000;

enum Tag { ping = 1, enough = 2 };

using Partners = std::array<int, 2>;  // 0: none

Partners partners_of_0(const std::vector<MpiProcess>& processes) {
  Partners partners{};
  for (int i = 1; i < std::ssize(processes); ++i) {
    const bool is_on_same_host = processes[static_cast<std::size_t>(i)].host == processes[0].host;
    int& partner = partners[is_on_same_host ? 0 : 1];
    if (partner == 0) partner = i;
  }
  return partners;
}

void send(const std::vector<char>& bytes, int count, int process, Tag tag) {
  require_mpi_success(MPI_Send(bytes.data(), count, MPI_CHAR, process, tag, MPI_COMM_WORLD), "MPI_Send");
}

MPI_Status receive(std::vector<char>& bytes, int process) {
  MPI_Status status;
  require_mpi_success(MPI_Recv(bytes.data(), large_bytes, MPI_CHAR, process, MPI_ANY_TAG, MPI_COMM_WORLD,
                               &status),
                      "MPI_Recv");
  return status;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The median of half a round trip. The first trip, which opens the connection, does not count.
double seconds_one_way(std::vector<char>& bytes, int count, int process) {
  std::vector<double> halves;
  const double start = MPI_Wtime();
  double last = start;
  for (std::size_t trip = 0; trip < 2 || (trip < most_trips && last - start < limit_seconds); ++trip) {
    send(bytes, count, process, ping);
    receive(bytes, process);
    const double now = MPI_Wtime();
    if (trip > 0) halves.push_back((now - last) / 2);
    last = now;
  }
  return median(std::move(halves));
}

MpiLink measured(std::vector<char>& bytes, int process) {
  const double small_seconds = seconds_one_way(bytes, small_bytes, process);
  const double large_seconds = seconds_one_way(bytes, large_bytes, process);
  send(bytes, 0, process, enough);
  return {process, small_seconds * 1e6, large_bytes / large_seconds / 1e9};
}

/// Sends back to process 0 what it sends, until it has enough.
void answer(std::vector<char>& bytes) {
  for (;;) {
    const MPI_Status status = receive(bytes, 0);
    if (status.MPI_TAG == enough) return;
    int count = 0;
    require_mpi_success(MPI_Get_count(&status, MPI_CHAR, &count), "MPI_Get_count");
    send(bytes, count, 0, ping);
  }
}

}  // namespace

std::vector<MpiLink> measured_links(const std::vector<MpiProcess>& processes, int self) {
  Partners partners{};
  if (self == 0) partners = partners_of_0(processes);
  require_mpi_success(MPI_Bcast(partners.data(), int{partners.size()}, MPI_INT, 0, MPI_COMM_WORLD),
                      "MPI_Bcast");
  std::vector<MpiLink> links;
  for (const int partner : partners) {
    if (partner == 0 || (self != 0 && self != partner)) continue;
    std::vector<char> bytes(large_bytes);
    if (self == 0) links.push_back(measured(bytes, partner));
    else answer(bytes);
  }
  return links;
}

}  // namespace tutti::cli
#endif
