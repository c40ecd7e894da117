// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <mpi.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tests/mpi/worker/report.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/mpi/transport.hpp"

namespace tutti {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_from(int process, std::size_t count, int message = 0) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>((i * 7 + static_cast<std::size_t>(process * 13 + message * 29)) % 251);
  return bytes;
}

/// Both processes send `count` bytes in each of two tickets. They finish the second one first.
void exchange(WorkerReport& report, MpiTransport& transport, std::size_t count) {
  const int other = 1 - transport.self();
  std::vector<Bytes> sent, received;
  std::vector<Transport::Ticket> tickets;
  for (int message = 0; message < 2; ++message) {
    sent.push_back(bytes_from(transport.self(), count, message));
    received.emplace_back(count);
  }
  transport.begin();
  for (std::size_t message = 0; message < 2; ++message) {
    const Transport::Part to{other, sent[message].data(), count},
        from{other, received[message].data(), count};
    tickets.push_back(transport.post({&to, 1}, {&from, 1}, "a test"));
  }
  for (std::size_t message : {1U, 0U}) {
    transport.finish(tickets[message]);
    report.expect(received[message] == bytes_from(other, count, static_cast<int>(message)),
                  [&] { return fmt::format("other bytes, {} of them, in message {}", count, message); });
  }
  report.expect(sent[0] == bytes_from(transport.self(), count), [] { return "the sender's bytes change"; });
}

/// Process 0 sends `sent` bytes, and process 1 expects others; `text` is what it says.
void expect_other_size(WorkerReport& report, std::size_t sent, std::size_t expected, std::size_t most_bytes,
                       const std::string& text) {
  MpiTransport transport(MPI_COMM_WORLD, 60, most_bytes);
  Bytes bytes(std::max(sent, expected));
  const bool sends = transport.self() == 0;
  const Transport::Part part{1 - transport.self(), bytes.data(), sends ? sent : expected};
  const std::span<const Transport::Part> own(&part, 1), none;
  const auto run = [&] {
    transport.begin();
    transport.finish(transport.post(sends ? own : none, sends ? none : own, "a test"));
  };
  report.expect_equal(refusal(run), sends ? "accepted" : "R007 " + text);
  if (sends) return;
  report.expect_equal(refusal(run),
                      "R007 the machine can do nothing more, because this process has left a call: " + text);
}

/// Process 1 fails before it sends; process 0 hears of it.
void hear_of_failures(WorkerReport& report) {
  MpiTransport transport(MPI_COMM_WORLD, 60);
  std::byte byte{};
  const Transport::Part part{1, &byte, 1};
  transport.begin();
  if (transport.self() == 1) return transport.leave("it has no memory");
  report.expect_equal(refusal([&] { transport.finish(transport.post({}, {&part, 1}, "a test")); }),
                      "R007 process 1 has left: it has no memory");
}

/// Process 1 does something else; process 0 gives up after its limit.
void wait_in_vain(WorkerReport& report) {
  MPI_Barrier(MPI_COMM_WORLD);  // process 1 may be late: it says farewell to the last machine
  MpiTransport transport(MPI_COMM_WORLD, 0.2);
  std::byte byte{};
  const Transport::Part part{1, &byte, 1};
  transport.begin();
  if (transport.self() == 1) return std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
  report.expect_equal(
      refusal([&] { transport.finish(transport.post({}, {&part, 1}, "a test")); }),
      "R007 process 1 has not come here for 0.2 s and does not answer: it has ended, is stopped, "
      "or computes for longer than that (see limit_seconds)");
}

}  // namespace

void exchange_messages(WorkerReport& report) {
  {
    MpiTransport transport(MPI_COMM_WORLD, 60), small(MPI_COMM_WORLD, 60, 1'000);
    for (std::size_t count : {0U, 1U, 999U, 1'000U, 1'001U, 2'000U, 10'007U}) exchange(report, small, count);
    for (std::size_t count : {0U, 1U, 10'007U, 3'000'000U}) exchange(report, transport, count);
  }
  constexpr std::size_t whole = MpiTransport::largest_message;
  expect_other_size(report, 100, 90, whole, "process 0 sent 100 bytes where process 1 expects 90");
  expect_other_size(report, 90, 100, whole, "process 0 sent 90 bytes where process 1 expects 100");
  expect_other_size(
      report, 10'007, 10'008, 1'000,
      "process 0 sent another number of bytes than the 10008 that process 1 expects: message 11 of 11 "
      "has 7 bytes, not 8");
  hear_of_failures(report);
  wait_in_vain(report);
}

}  // namespace tutti
