// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace tutti::xla {

/// A TCP connection to this host that sends any bytes, as a client that is not ours might.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port);
  ~RawSocket();
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;
  void send(const std::string& bytes) const;
  /// Reads until the other side closes the connection or the time is over.
  std::string read_all(std::chrono::milliseconds time) const;
  /// True if the other side closes the connection within the time.
  bool is_closed_within(std::chrono::milliseconds time) const;

 private:
  /// Appends what arrives. True if the other side has closed the connection.
  bool read(std::string& all, std::chrono::milliseconds time) const;
  int socket_;
};

/// A server on this host that answers each connection with the same bytes, and then keeps or closes it.
class RawServer {
 public:
  enum class Then { keep, close };
  RawServer(std::string answer, Then then);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  std::uint16_t port() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tutti::xla
