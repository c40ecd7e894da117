// SPDX-License-Identifier: Apache-2.0
// The command line of `tutti`. Of the tool's files this one alone includes CLI11, which takes seconds to compile.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "tutti/base/require.hpp"
#include "tutti/cli/options.hpp"
#include "tutti/cli/program.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"
#include "tutti/tensor/products/blas.hpp"

namespace {

std::string version() {
  std::string text =
      fmt::format("tutti {} ({} kernels; results are reproducible within one instruction set)\n{}",
                  TUTTI_VERSION, tutti::instruction_set(), tutti::blas().config);
  if (tutti::blas().is_serialised()) text += fmt::format("\n{}", tutti::serialised_blas_note);
  return text;
}

int run(int argc, char** argv) {
  CLI::App app(
      "SPMD array programs: types, derivatives, batching and lockstep execution through every collective.",
      "tutti");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  int status = 0;

  tutti::cli::RulesOptions rules;
  CLI::App* rules_command =
      app.add_subcommand("rules", "print which op has which rule, and why one is refused");
  rules_command->add_flag("--json", rules.json, "as a list of {op, rules: {rule: {state, reason}}}");
  rules_command->callback([&] { status = tutti::cli::rules(rules); });

  tutti::cli::ExplainOptions explain;
  CLI::App* explain_command =
      app.add_subcommand("explain",
                         "tell of one op: what it does, takes and becomes, with an example that is run");
  explain_command->add_option("op", explain.name, "an op, or a function that records one: all_reduce, psum")
      ->required();
  explain_command->add_flag("--json", explain.json, "the same as an object");
  explain_command->add_option("--trace", explain.trace,
                              "write what each worker does when the example is run to this file, which "
                              "ui.perfetto.dev opens");
  explain_command->callback([&] { status = tutti::cli::explain(explain); });

  // CLI11 would only say that a subcommand is missing.
  auto is_first = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_first).empty()) {
    tutti::fail(tutti::Code::usage, "there is no subcommand '{}'; see tutti --help", argv[1]);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    tutti::fail(tutti::Code::usage, "{}; see tutti --help", error.what());
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("tutti", [&] { return run(argc, argv); });
}
