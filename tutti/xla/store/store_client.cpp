// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/store/store_client.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <thread>

#include "tutti/base/require.hpp"
#include "tutti/xla/store/local_store.hpp"

namespace tutti::xla {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_idle = 8;                    // connections that are kept between calls
constexpr auto first_pause = 20ms, last_pause = 500ms;  // between attempts to connect
constexpr auto greeting_wait = 10s;

/// A random number, which distinguishes the clients of a job.
std::uint64_t new_instance() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// Sends a request, and receives its answer. Returns why the connection failed.
Connection::Reason exchange(Connection& connection, std::string_view request, StoreAnswer& answer,
                            Connection::Deadline deadline) {
  if (auto reason = connection.send(request, deadline)) return reason;
  std::string bytes;
  if (auto reason = connection.receive(bytes, protocol::answer_bytes, deadline)) return reason;
  const auto head = protocol::read_answer(bytes);
  if (!head) return "the answer is not one of a store";
  if (auto reason = connection.receive(bytes, head->bytes, deadline)) return reason;
  answer = {};
  if (head->code == 0) answer.value = std::move(bytes);
  else answer.failure = Failure{head->code, std::move(bytes)};
  return std::nullopt;
}

/// True if a retry may succeed: process 0 has not started, still serves an earlier client, or has too many
/// connections.
bool may_pass(const Failure& failure) {
  return failure.code == error_code::unavailable || failure.code == error_code::already_exists ||
         failure.code == error_code::resource_exhausted;
}

}  // namespace

StoreClient::StoreClient(Address address, Job job, std::chrono::milliseconds wait)
    : address_(std::move(address)), greeting_{std::move(job), new_instance()} {
  check(greeting_.job);
  require(address_.port != 0, Code::device, "xla: the coordinator {} has no port; give one from 1 to 65535",
          address_);
  const auto end = Clock::now() + bounded(wait);
  for (auto pause = Clock::duration(first_pause);; pause = std::min<Clock::duration>(2 * pause, last_pause)) {
    auto connection = std::make_unique<Connection>();
    const auto failure = greet(*connection, std::min<Deadline>(end, Clock::now() + greeting_wait));
    if (!failure) {
      keep(std::move(connection));
      return;
    }
    require(may_pass(*failure), Code::device, "xla: process {} cannot join: {}", greeting_.job.process,
            failure->message);
    require(Clock::now() + pause < end, Code::device,
            "xla: process {} cannot join within {} ms: {}; check that process 0 runs, that all processes "
            "name the same coordinator, and that no firewall stops them",
            greeting_.job.process, bounded(wait).count(), failure->message);
    std::this_thread::sleep_for(pause);
  }
}

std::optional<Failure> StoreClient::greet(Connection& connection, Deadline deadline) const {
  const std::string at = to_string(address_);
  if (const auto reason = connection.open(address_, deadline))
    return Failure{error_code::unavailable, fmt::format("no connection to {}: {}", at, *reason)};
  std::string opening;
  if (auto reason = connection.send(protocol::write_greeting(greeting_), deadline); !reason)
    reason = connection.receive(opening, protocol::opening_bytes, deadline);
  const auto version = protocol::read_opening(opening);
  if (!opening.empty() && !version)
    return Failure{error_code::failed_precondition,
                   fmt::format("another program answers at {}; give the coordinator a port that nobody uses",
                               at)};
  if (!version)
    return Failure{error_code::unavailable,
                   fmt::format("{} takes connections, but does not answer as process 0 would", at)};
  if (*version != protocol::version)
    return Failure{error_code::failed_precondition,
                   fmt::format("process 0 at {} speaks version {} of the protocol, and this process version "
                               "{}; use one version of Tutti for all",
                               at, *version, protocol::version)};
  StoreAnswer answer;
  if (const auto reason = exchange(connection, "", answer, deadline))
    return Failure{error_code::unavailable, fmt::format("no answer of {}: {}", at, *reason)};
  return answer.failure;
}

StoreAnswer StoreClient::get(std::string_view key, std::chrono::milliseconds timeout) {
  return call(protocol::Operation::get, key, {}, bounded(timeout));
}

StoreAnswer StoreClient::try_get(std::string_view key) {
  return call(protocol::Operation::try_get, key, {}, 0ms);
}

std::optional<Failure> StoreClient::put(std::string_view key, std::string_view value) {
  return call(protocol::Operation::put, key, value, 0ms).failure;
}

StoreAnswer StoreClient::call(protocol::Operation operation, std::string_view key, std::string_view value,
                              std::chrono::milliseconds timeout) {
  if (auto failure = too_large(key.size(), value.size())) return {.value = {}, .failure = std::move(failure)};
  const std::string request = protocol::write_request(operation, timeout, key, value);
  const auto end = Clock::now() + timeout + transfer_wait;
  StoreAnswer answer;
  // The server may have closed an idle connection. A retry is safe, because a key never changes its value.
  while (auto connection = idle_connection())
    if (!exchange(*connection, request, answer, end)) {
      keep(std::move(connection));
      return answer;
    }
  auto connection = std::make_unique<Connection>();
  if (auto failure = greet(*connection, std::min<Deadline>(end, Clock::now() + greeting_wait))) {
    if (failure->code == error_code::unavailable) failure = gone(failure->message);
    return {.value = {}, .failure = std::move(failure)};
  }
  if (const auto reason = exchange(*connection, request, answer, end))
    return {.value = {}, .failure = gone(*reason)};
  keep(std::move(connection));
  return answer;
}

std::unique_ptr<Connection> StoreClient::idle_connection() {
  const std::scoped_lock locked(lock_);
  if (idle_.empty()) return nullptr;
  auto connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void StoreClient::keep(std::unique_ptr<Connection> connection) {
  const std::scoped_lock locked(lock_);
  if (idle_.size() < most_idle) idle_.push_back(std::move(connection));
}

Failure StoreClient::gone(const std::string& reason) const {
  return {error_code::unavailable,
          fmt::format("key-value store: process 0 at {} is gone: {}; it has ended, or the network fails",
                      to_string(address_), reason)};
}

}  // namespace tutti::xla
