// SPDX-License-Identifier: Apache-2.0
#include "examples/support/interrupts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

#include "tutti/base/require.hpp"

namespace examples {
namespace {

// The end of a pipe that the handler writes to. A handler may call write(), but not request_stop().
std::atomic<int> pipe_of_handler = -1;
static_assert(std::atomic<int>::is_always_lock_free);

void note_interrupt(int) {
  const int error = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(pipe_of_handler, &byte, 1);
  errno = error;
}

}  // namespace

struct Interrupts::State {
  std::array<int, 2> pipe{-1, -1};  // to read from, to write to
  struct sigaction before{};
  std::stop_source stop;
  std::thread thread;

  /// Waits for the handler's byte, or for the end of the pipe.
  void wait() {
    char byte = 0;
    ssize_t got = 0;
    do got = ::read(pipe[0], &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 1) stop.request_stop();
  }
};

Interrupts::Interrupts() : state_(std::make_unique<State>()) {
  using tutti::Code;
  State& s = *state_;
  tutti::ops::require(::pipe2(s.pipe.data(), O_CLOEXEC) == 0, Code::device, "no pipe for Ctrl-C: {}",
                      std::strerror(errno));
  try {
    s.thread = std::thread([&s] { s.wait(); });
  } catch (const std::system_error& error) {
    for (const int end : s.pipe) ::close(end);
    tutti::ops::fail(Code::device, "no thread for Ctrl-C: {}", error.what());
  }
  pipe_of_handler = s.pipe[1];
  ::sigaction(SIGINT, nullptr, &s.before);
  if (s.before.sa_handler == SIG_IGN) return;
  struct sigaction once{};
  once.sa_handler = note_interrupt;
  once.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // the second one ends the program
  ::sigaction(SIGINT, &once, nullptr);
}

Interrupts::~Interrupts() {
  ::sigaction(SIGINT, &state_->before, nullptr);
  pipe_of_handler = -1;
  ::close(state_->pipe[1]);
  state_->thread.join();
  ::close(state_->pipe[0]);
}

std::stop_token Interrupts::token() const { return state_->stop.get_token(); }

}  // namespace examples
