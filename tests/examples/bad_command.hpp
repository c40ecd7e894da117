// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/support/command.hpp"

namespace examples {

/// Options that a program refuses: part of what it says on stderr, and its exit status.
struct BadCommand {
  const char *options, *error;
  int status;
};
inline void PrintTo(const BadCommand& command, std::ostream* out) { *out << command.options; }

inline void expect_refused(const std::string& program, const BadCommand& command) {
  tutti::Finished run = tutti::run_command(program + " " + command.options);
  EXPECT_EQ(run.status, command.status);
  EXPECT_NE(run.err.find(command.error), std::string::npos) << run.err;
}

}  // namespace examples
