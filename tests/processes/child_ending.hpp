// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace tutti {

/// Runs `act`, which ends the process, in the child of a fork. Returns "status 0", or "signal 14" if it takes
/// longer than 20 seconds.
inline std::string ending_of_child(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    act();
    _exit(97);  // it did not end the process
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace tutti
