// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tutti {

/// The output and the exit status of a command.
struct Finished {
  int status = 0;
  std::string out, err;
};
/// Runs a shell command in the repository root.
Finished run_command(const std::string& command);

/// The folder of the programs under test: that of the running test program.
std::string program_folder();

}  // namespace tutti
