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

CLI::App* add_rules(CLI::App& app, tutti::cli::RulesOptions& rules) {
  CLI::App* command = app.add_subcommand("rules", "print which op has which rule, and why one is refused");
  command->add_flag("--json", rules.json, "as a list of {op, rules: {rule: {state, reason}}}");
  return command;
}

CLI::App* add_explain(CLI::App& app, tutti::cli::ExplainOptions& explain) {
  CLI::App* command =
      app.add_subcommand("explain",
                         "tell of one op: what it does, takes and becomes, with an example that is run");
  command->add_option("op", explain.name, "an op, or a function that records one: all_reduce, psum")
      ->required();
  command->add_flag("--json", explain.json, "the same as an object");
  command->add_option(
      "--trace", explain.trace,
      "write what each worker does when the example is run to this file, which ui.perfetto.dev opens");
  return command;
}

CLI::App* add_plan(CLI::App& app, tutti::cli::PlanArguments& plan) {
  CLI::App* command =
      app.add_subcommand("plan", "find the cheapest steps that bring an array from one sharding to another");
  command->footer(
      "A sharding names for each dim the axes that split it, the slowest first: P(x, none, (y, z)).\n"
      "x(1)2: of an axis x=8 the slower 2 positions; x(2)4: the faster 4.\n"
      "+U(t): the devices along t hold terms of a sum. +R(s): equal values, whose gradients are terms.\n"
      "About us: 1 us for each step between devices, 0.1 ns for a byte received (times --link), 0.02 ns for "
      "a byte copied.\n"
      "tutti plan --mesh x=4,y=2 --shape 4096x4096 --from 'P(x, y)' --to 'P(y, x)'");
  command->add_option("--mesh", plan.mesh, "devices by axis: x=4,y=2")->required();
  command->add_option("--devices", plan.devices,
                      "the machine's devices at the mesh's positions: 2,0,1,3; else 0, 1, 2 and so on");
  command->add_option("--to-mesh", plan.to_mesh, "the mesh that --to is on, if it is another");
  command->add_option("--to-devices", plan.to_devices,
                      "the devices of --to-mesh, or of --mesh after the plan");
  command->add_option("--shape", plan.shape, "of the whole array: 4096x4096")->required();
  command->add_option("--from", plan.from, "how the array lies: 'P(x, y)'")->required();
  command->add_option("--to", plan.to, "how it is to lie: 'P(y, x)'")->required();
  command->add_option("--dtype", plan.dtype, "of the elements")->capture_default_str();
  command->add_option("--objective", plan.objective, "what is to be least: time, bytes or steps")
      ->capture_default_str();
  command
      ->add_option(
          "--cap", plan.cap,
          "a device may hold, between two steps, this times the larger of its blocks before and after")
      ->capture_default_str();
  command
      ->add_option("--link", plan.links,
                   "y=10: a byte between devices that differ along y costs ten; once per axis")
      ->allow_extra_args(false);
  command->add_flag("--direct", plan.direct,
                    "one exchange in which each device receives exactly what it lacks");
  command->add_flag("--whole-axes", plan.whole_axes, "cut no axis into parts, like x(1)2, x(2)4");
  command->add_flag("--why", plan.why, "also print the other plans, and why they were not chosen");
  command->add_flag("--json", plan.json, "print all of it as an object");
  command->add_option("--svg", plan.svg, "draw into this file which device holds which block, step by step");
  command->add_flag("--run", plan.run, "run the steps on virtual devices and check every element");
  return command;
}

int run(int argc, char** argv) {
  CLI::App app(
      "SPMD array programs: types, derivatives, batching and lockstep execution through every collective.",
      "tutti");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  int status = 0;

  tutti::cli::RulesOptions rules;
  add_rules(app, rules)->callback([&] { status = tutti::cli::rules(rules); });
  tutti::cli::ExplainOptions explain;
  add_explain(app, explain)->callback([&] { status = tutti::cli::explain(explain); });
  tutti::cli::PlanArguments plan;
  add_plan(app, plan)->callback([&] { status = tutti::cli::plan(plan); });

  // CLI11 would only say that a subcommand is missing.
  auto is_first = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_first).empty()) {
    tutti::fail(tutti::Code::usage, "there is no subcommand '{}'; see tutti --help", argv[1]);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const auto commands = app.get_subcommands(is_first);
    const std::string command = commands.empty() ? "" : commands[0]->get_name() + " ";
    tutti::fail(tutti::Code::usage, "{}; see tutti {}--help", error.what(), command);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("tutti", [&] { return run(argc, argv); });
}
