// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tutti/xla/store/connection.hpp"
#include "tutti/xla/store/protocol.hpp"

namespace tutti::xla {

inline constexpr std::chrono::milliseconds usual_wait_for_server = std::chrono::minutes(5);  // as XLA waits
inline constexpr std::chrono::milliseconds transfer_wait = std::chrono::seconds(60);  // for one message

/// A client of the StoreServer in process 0. Each running call uses a separate connection, so that any number
/// of threads may wait at once. Calls fail with unavailable if the server has ended.
class StoreClient final : public KeyValueStore {
 public:
  /// Connects. Retries until `wait` is over, because process 0 may start later.
  /// Throws R004 if nobody answers at the address, or another program or another job answers.
  StoreClient(Address address, Job job, std::chrono::milliseconds wait = usual_wait_for_server);

  StoreAnswer get(std::string_view key, std::chrono::milliseconds timeout) override;
  StoreAnswer try_get(std::string_view key) override;
  std::optional<Failure> put(std::string_view key, std::string_view value) override;

 private:
  using Deadline = Connection::Deadline;
  StoreAnswer call(protocol::Operation operation, std::string_view key, std::string_view value,
                   std::chrono::milliseconds timeout);
  std::optional<Failure> greet(Connection& connection, Deadline deadline) const;
  std::unique_ptr<Connection> idle_connection();
  void keep(std::unique_ptr<Connection> connection);
  Failure gone(const std::string& reason) const;

  Address address_;
  protocol::Greeting greeting_;
  std::mutex lock_;
  std::vector<std::unique_ptr<Connection>> idle_;  // greeted, between calls
};

}  // namespace tutti::xla
