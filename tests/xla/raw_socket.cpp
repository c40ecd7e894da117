// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/raw_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tutti::xla {
namespace {

sockaddr_in here(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool is_readable(int socket, std::chrono::milliseconds time) {
  pollfd polled{socket, POLLIN, 0};
  return poll(&polled, 1, static_cast<int>(time.count())) == 1;
}

}  // namespace

RawSocket::RawSocket(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  const sockaddr_in address = here(port);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
}
RawSocket::~RawSocket() { ::close(socket_); }

void RawSocket::send(const std::string& bytes) const {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;  // the other side has closed: tests see that when they read
    sent += static_cast<std::size_t>(n);
  }
}

bool RawSocket::read(std::string& all, std::chrono::milliseconds time) const {
  std::array<char, 4096> bytes{};
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !is_readable(socket_, left)) return false;
    const ssize_t n = recv(socket_, bytes.data(), bytes.size(), 0);
    if (n <= 0) return true;
    all.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

std::string RawSocket::read_all(std::chrono::milliseconds time) const {
  std::string all;
  read(all, time);
  return all;
}

bool RawSocket::is_closed_within(std::chrono::milliseconds time) const {
  std::string ignored;
  return read(ignored, time);
}

struct RawServer::Parts {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  std::thread thread;
  std::vector<int> kept;
};

RawServer::RawServer(std::string answer, Then then) : parts_(std::make_unique<Parts>()) {
  const sockaddr_in address = here(0);
  if (bind(parts_->listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(parts_->listener, 16) != 0)
    throw std::runtime_error("cannot listen");
  parts_->thread = std::thread([this, then, bytes = std::move(answer)] {
    for (int client = 0; (client = accept(parts_->listener, nullptr, nullptr)) >= 0;) {
      ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      parts_->kept.push_back(client);
      if (then == Then::close) shutdown(client, SHUT_RDWR);
    }
  });
}

RawServer::~RawServer() {
  shutdown(parts_->listener, SHUT_RDWR);  // ends accept()
  parts_->thread.join();
  for (const int socket : parts_->kept) ::close(socket);
  ::close(parts_->listener);
}

std::uint16_t RawServer::port() const {
  sockaddr_in address{};
  socklen_t bytes = sizeof address;
  getsockname(parts_->listener, reinterpret_cast<sockaddr*>(&address), &bytes);
  return ntohs(address.sin_port);
}

}  // namespace tutti::xla
