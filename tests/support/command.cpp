// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "tutti/base/inside.hpp"

namespace tutti {

Finished run_command(const std::string& command) {
  std::filesystem::path error_file =
      std::filesystem::temp_directory_path() / ("tutti_test_" + std::to_string(getpid()));
  Finished finished;
  FILE* pipe = popen((command + " 2>" + error_file.string()).c_str(), "r");
  if (!pipe) return {-1, "", "popen failed"};
  char block[4096];
  while (std::size_t n = fread(block, 1, sizeof block, pipe)) finished.out.append(block, n);
  int status = pclose(pipe);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  finished.err = text_of_file(error_file);
  std::filesystem::remove(error_file);
  return finished;
}

std::string program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

}  // namespace tutti
