// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti {

/// Carries bytes between the processes of a job. Each process has its own; one thread at a time uses it.
class Transport {
 public:
  struct Part {
    int process;
    std::byte* at;
    std::size_t bytes;
  };
  using Ticket = std::size_t;

  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Begins to send and to receive, at most one part to each process and one from each. Messages from one
  /// process to another arrive in the order of post. The bytes belong to the transport until is_done().
  virtual Ticket post(std::span<const Part> sends, std::span<const Part> receives) = 0;
  /// True once all parts of a ticket have arrived and left. Then the ticket ends. Does not wait.
  virtual bool is_done(Ticket ticket) = 0;
};

}  // namespace tutti
