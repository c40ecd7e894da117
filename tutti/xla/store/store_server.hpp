// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "tutti/base/fork.hpp"
#include "tutti/xla/store/address.hpp"
#include "tutti/xla/store/job.hpp"
#include "tutti/xla/store/local_store.hpp"

namespace tutti::xla {

/// Limits on the connections of a server.
struct StoreLimits {
  std::size_t connections = 256;  // in addition to per_process; more are refused
  std::size_t per_process = 4;
  std::chrono::milliseconds greeting =
      std::chrono::seconds(10);  // for the greeting, else the connection is closed
  std::chrono::milliseconds transfer = std::chrono::seconds(60);  // for one message, once it has begun
  std::chrono::milliseconds idle = std::chrono::minutes(10);      // between two requests, else closed
  std::size_t idle_per_process = 64;     // connections between two requests; clients keep 8
  std::size_t bytes = most_store_bytes;  // keys and values, also those on their way
};

/// The store of process 0. StoreClients of the other processes connect to it. One thread serves them all.
/// A process that knows the job's secret can read and write the store. The bytes are not encrypted, the
/// secret neither.
class StoreServer final : public KeyValueStore {
 public:
  /// Listens at this address, and at no other one of the host. Port 0: the system chooses the port.
  /// Throws R004 if that is impossible: the port is in use, or the address is not one of this host.
  StoreServer(const Address& address, const Job& job, const StoreLimits& limits = {});
  /// Closes all connections. No other thread may still use the store.
  ~StoreServer() override;

  StoreAnswer get(std::string_view key, std::chrono::milliseconds timeout) override;
  StoreAnswer try_get(std::string_view key) override;
  std::optional<Failure> put(std::string_view key, std::string_view value) override;

  /// The address with the actual port.
  const Address& address() const { return address_; }
  /// Number of open connections.
  std::size_t connections() const;

 private:
  struct Service;
  LocalStore store_;
  Address address_;
  std::unique_ptr<Service> service_;
  MadeHere is_here_;
};

}  // namespace tutti::xla
