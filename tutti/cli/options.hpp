// SPDX-License-Identifier: Apache-2.0
// What the subcommands are told. One function and one file per subcommand; main.cpp alone knows the command line.
#pragma once

namespace tutti::cli {

struct RulesOptions {
  bool json = false;
};
/// Prints the op x rule matrix, with the reasons of what is refused. Returns the exit status.
int rules(const RulesOptions& options);

}  // namespace tutti::cli
