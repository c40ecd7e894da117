// SPDX-License-Identifier: Apache-2.0
// What the subcommands are told. One function and one file per subcommand; main.cpp alone knows the command line.
#pragma once

#include <string>

namespace tutti::cli {

struct RulesOptions {
  bool json = false;
};
/// Prints the op x rule matrix, with the reasons of what is refused. Returns the exit status.
int rules(const RulesOptions& options);

struct ExplainOptions {
  std::string name;  // of an op, or of a function that records one
  bool json = false;
  std::string trace;  // file for what each worker does when its example is run; empty: none
};
/// Prints what one op does, takes, and becomes: found out from its rules, its example run. Returns the exit status.
/// Throws R002 for a name that is none, with names like it, R001 for a trace that cannot be written.
int explain(const ExplainOptions& options);

}  // namespace tutti::cli
