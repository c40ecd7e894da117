// SPDX-License-Identifier: Apache-2.0
#include "tests/support/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace tutti {
namespace {

/// With the null pointer at the end that exec wants.
std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         int socket, int error_file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(socket, STDIN_FILENO);
  dup2(socket, STDOUT_FILENO);
  dup2(error_file, STDERR_FILENO);
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  std::vector<char*> arguments = pointers(command), variables = pointers(environment);
  variables.pop_back();
  for (char** variable = environ; *variable; ++variable) variables.push_back(*variable);
  variables.push_back(nullptr);
  int ends[2];
  stderr_ = memfd_create("stderr", MFD_CLOEXEC);
  if (stderr_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("no socket for a child process");
  pid_ = fork();
  if (pid_ == 0) become(arguments, variables, ends[1], stderr_);
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) throw std::runtime_error("no child process");
}

Child::~Child() {
  close(socket_);
  close(stderr_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

Child::Reply Child::ask(const std::string& line, int limit_ms) {
  using Clock = std::chrono::steady_clock;
  std::string unsent = line.empty() ? "" : line + "\n";
  while (!unsent.empty()) {
    ssize_t sent = send(socket_, unsent.data(), unsent.size(), MSG_NOSIGNAL);
    if (sent <= 0) return no_answer("does not listen");
    unsent.erase(0, static_cast<std::size_t>(sent));
  }
  auto deadline = Clock::now() + std::chrono::milliseconds(limit_ms);
  std::vector<char> chunk(1 << 16);
  while (unread_.find('\n') == unread_.npos) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wanted{socket_, POLLIN, 0};
    if (left <= 0 || poll(&wanted, 1, static_cast<int>(left)) == 0)
      return no_answer("gave no answer within " + std::to_string(limit_ms) + " ms");
    ssize_t received = recv(socket_, chunk.data(), chunk.size(), 0);
    if (received <= 0) return no_answer("");
    unread_.append(chunk.data(), static_cast<std::size_t>(received));
  }
  std::size_t end = unread_.find('\n');
  Reply reply{unread_.substr(0, end), ""};
  unread_.erase(0, end + 1);
  return reply;
}

/// Ends the process. One that is dying already keeps the signal that it dies of.
Child::Reply Child::no_answer(const std::string& why) {
  int status = 0;
  kill(pid_, SIGKILL);
  waitpid(pid_, &status, 0);
  pid_ = -1;
  std::string ending = why;
  if (why.empty()) {
    ending = WIFSIGNALED(status) ? std::string("died of signal ") + strsignal(WTERMSIG(status))
                                 : "ended with status " + std::to_string(WEXITSTATUS(status));
  }
  return {"", "the child process " + ending + last_words()};
}

/// The end of what it wrote to stderr.
std::string Child::last_words() const {
  constexpr off_t most = 2000;
  off_t size = lseek(stderr_, 0, SEEK_END), from = std::max<off_t>(0, size - most);
  std::string words(static_cast<std::size_t>(size - from), ' ');
  if (pread(stderr_, words.data(), words.size(), from) <= 0) return {};
  return "; its last words:\n" + words;
}

}  // namespace tutti
