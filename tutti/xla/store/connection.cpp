// SPDX-License-Identifier: Apache-2.0
#define ASIO_STANDALONE
#include "tutti/xla/store/connection.hpp"

#include <fcntl.h>

#include <asio.hpp>

namespace tutti::xla {

using asio::ip::tcp;

// NOLINTBEGIN(bugprone-unused-return-value): `ignored` has the error too, and some builds of Asio return void
struct Connection::Parts {
  asio::io_context io;
  tcp::socket socket{io};
  tcp::resolver resolver{io};

  void cancel() {
    asio::error_code ignored;
    resolver.cancel();
    socket.close(ignored);
  }
  void set_options() {
    asio::error_code ignored;  // connections work without these options
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);  // child programs do not inherit it
  }
};
// NOLINTEND(bugprone-unused-return-value)

Connection::Connection() : parts_(std::make_unique<Parts>()) {}
Connection::~Connection() = default;

/// Runs the operation that `start` begins. Cancels it at the deadline.
template <class Start>
Connection::Reason Connection::finish(const Start& start, Deadline deadline) {
  asio::error_code result = asio::error::would_block;
  start([&result](const asio::error_code& error, const auto&...) { result = error; });
  parts_->io.restart();
  parts_->io.run_until(deadline);
  if (!parts_->io.stopped()) {
    parts_->cancel();
    parts_->io.run();  // until the cancelled operation has ended
    return "no answer in time";
  }
  return result ? Reason(result.message()) : std::nullopt;
}

Connection::Reason Connection::open(const Address& address, Deadline deadline) {
  tcp::resolver::results_type found;
  Reason reason = finish(
      [&](auto then) {
        parts_->resolver.async_resolve(address.host, std::to_string(address.port),
                                       [then, &found](const asio::error_code& error,
                                                      const tcp::resolver::results_type& results) {
                                         found = results;
                                         then(error);
                                       });
      },
      deadline);
  if (reason) return reason;
  reason = finish([&](auto then) { asio::async_connect(parts_->socket, found, then); }, deadline);
  if (!reason) parts_->set_options();
  return reason;
}

Connection::Reason Connection::send(std::string_view bytes, Deadline deadline) {
  return finish(
      [&](auto then) { asio::async_write(parts_->socket, asio::buffer(bytes.data(), bytes.size()), then); },
      deadline);
}

Connection::Reason Connection::receive(std::string& bytes, std::size_t count, Deadline deadline) {
  bytes.clear();
  return finish(
      [&](auto then) {
        asio::async_read(parts_->socket, asio::dynamic_buffer(bytes, count), asio::transfer_exactly(count),
                         then);
      },
      deadline);
}

}  // namespace tutti::xla
