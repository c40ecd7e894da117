// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/base/inside.hpp"
#include "tutti/xla/store/address.hpp"

namespace tutti::xla {

/// A client's TCP connection. Each call blocks at most until its deadline. A call that fails returns the
/// reason:
/// "Connection refused". The connection cannot be used after a failure. Not thread-safe.
class Connection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  using Reason = std::optional<std::string>;

  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Tries all addresses of the host in turn. Looking a name up may take longer than the deadline: the
  /// system's functions cannot be interrupted.
  Reason open(const Address& address, Deadline deadline);
  Reason send(std::string_view bytes, Deadline deadline);
  /// Replaces `bytes` by the next `count` bytes. Memory grows only as they arrive.
  Reason receive(std::string& bytes, std::size_t count, Deadline deadline);

 private:
  struct Parts;
  template <class Start>
  Reason finish(const Start& start, Deadline deadline);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tutti::xla
