// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/program.hpp"
#include "tutti/base/inside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/cli/words/machine.hpp"

namespace tutti::cli {
namespace {

// In order: open takes the lowest number that is free.
void hold_closed_descriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int held = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    require(held == descriptor, Code::file, "'/dev/null' cannot be opened: {}", std::strerror(errno));
  }
}

void require_written_output() {
  const bool flushed = std::fflush(stdout) == 0;
  require(flushed, Code::file, "the output cannot be written: {}", std::strerror(errno));
  require(std::ferror(stdout) == 0, Code::file,
          "the output cannot be written");  // what went wrong is long over
}

/// Waits so that one process says why several fail. mpirun ends the others within two seconds of the first
/// one's end. If that one does not end, the next one speaks, and from the fifth on all of them.
void let_earlier_processes_speak() {
  constexpr unsigned seconds_each = 2, most_seconds = 10;
  if (started_processes() > 1)
    ::sleep(std::min(most_seconds, seconds_each * static_cast<unsigned>(number_of_started_process())));
}

// Without memory, and whether or not there is a stderr.
int failed(std::string_view program, Code code, const char* what, const char* why = "") {
  let_earlier_processes_speak();
  const CodeInfo& row = info(code);
  std::fprintf(stderr, "%.*s: error[%.*s]: %s%s\n", static_cast<int>(program.size()), program.data(),
               static_cast<int>(row.label.size()), row.label.data(), what, why);
  return row.exit_status;
}

int status_of(std::string_view name, const std::function<int()>& run) try {
  hold_closed_descriptors();
  require_stack();
  std::signal(SIGXFSZ, SIG_IGN);
  const int status = run();
  require_written_output();
  return status;
} catch (const Error& error) {
  return failed(name, error.code(), error.what());
} catch (const std::bad_alloc&) {
  return failed(name, Code::memory, "out of memory");
} catch (const std::system_error& error) {
  if (error.code() == std::errc::not_enough_memory) return failed(name, Code::memory, "out of memory");
  if (std::ferror(stdout) == 0) return failed(name, Code::file, error.what());
  return failed(name, Code::file,
                "the output cannot be written: ", std::strerror(error.code().value()));  // by fmt
} catch (const std::exception& error) {
  return failed(name, Code::internal, error.what());
}

}  // namespace

void run_program(std::string_view name, const std::function<int()>& run) {
  const int status = status_of(name, run);
  std::fflush(stdout);
  if (status != info(Code::memory).exit_status) std::exit(status);
  std::_Exit(status);
}

}  // namespace tutti::cli
