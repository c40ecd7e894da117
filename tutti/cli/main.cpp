// SPDX-License-Identifier: Apache-2.0
// The command line of `tutti`. Only this file of the tool includes CLI11, which takes seconds to
// compile.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/cli/words/option_values.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/version.hpp"

namespace {

/// OpenBLAS's description of itself, or why it is missing: programs without products of f64 run without it.
std::string blas_text() {
  try {
    std::string text = tutti::blas().config;
    if (tutti::blas().is_serialised()) text += fmt::format("\n{}", tutti::serialised_blas_note);
    return text;
  } catch (const tutti::Error& error) {
    return error.message();
  }
}

std::string version() {
  return fmt::format("tutti {} ({} kernels; results are reproducible within one instruction set)\n{}",
                     tutti::version_text, tutti::instruction_set(), blas_text());
}

CLI::App* add_rules(CLI::App& app, tutti::cli::RulesOptions& rules) {
  CLI::App* command = app.add_subcommand("rules", "print which op has which rule, and why one is refused");
  command->add_flag("--json", rules.json, "as a list of {op, rules: {rule: {state, reason}}}");
  return command;
}

CLI::App* add_explain(CLI::App& app, tutti::cli::ExplainOptions& explain) {
  CLI::App* command =
      app.add_subcommand("explain",
                         "explain one name: how it is declared, with its options; what an op does, takes and "
                         "becomes, with an example that is run");
  command->footer(
      "Examples:\n"
      "  tutti explain psum                a function: declaration, options, and the op that it records\n"
      "  tutti explain Machine::place      a class, or a member of one\n"
      "  tutti explain jnp.std             a name of JAX or NumPy: what it is here, or why it is refused\n"
      "  tutti explain T004                an error, as docs/errors.md has it");
  command->add_option("name", explain.name,
                      "an op, a function, a class, a member, a name of JAX, or the code of an error");
  command->add_flag("--names", explain.names,
                    "instead print all names of ops, functions, classes, members and errors, one per line");
  command->add_flag("--json", explain.json, "the same as an object");
  command->add_option("--machine", explain.machine, tutti::cli::machine_help)->capture_default_str();
  command->add_option(
      "--trace", explain.trace,
      "write what each worker does when the example is run to this file, which ui.perfetto.dev opens");
  command->add_option("--page", explain.page,
                      "write the example with its numbers to this file, which a browser opens");
  return command;
}

CLI::App* add_plan(CLI::App& app, tutti::cli::PlanArguments& plan) {
  CLI::App* command =
      app.add_subcommand("plan", "find the cheapest steps that bring an array from one sharding to another");
  command->footer(
      "A sharding names for each dim the axes that split it, the slowest first: P(x, none, (y, z)).\n\n"
      "x(1)2: of an axis x=8 the slower 2 positions; x(2)4: the faster 4.\n\n"
      "+U(t): the devices along t hold terms of a sum. +R(s): equal values, whose gradients are terms.\n\n"
      "About us: 1 us for each step between devices, 0.1 ns for a byte received (times --link), 0.02 ns for "
      "a byte copied.\n\n"
      "Examples:\n"
      "  tutti plan --mesh x=4,y=2 --shape 4096x4096 --from 'P(x, y)' --to 'P(y, x)'");
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
  command->add_option("--page", plan.page, "write the steps to this file, which a browser opens");
  command->add_flag("--run", plan.run, "run the steps on virtual devices and check every element");
  return command;
}

CLI::App* add_kernel(CLI::App& app, tutti::cli::KernelArguments& kernel) {
  CLI::App* command =
      app.add_subcommand("kernel", "emit a collective as a GPU kernel, and check it on a model of the GPUs");
  command->footer("Examples:\n"
                  "  tutti kernel all_gather --world 8 --shape 1024x64 --dim 1 --dtype bf16 --emit ttir > "
                  "all_gather.ttir\n"
                  "  tutti kernel all_reduce --world 4 --shape 4096 --variant two_shot --check");
  command
      ->add_option("collective", kernel.kind,
                   "all_gather, all_reduce, reduce_scatter, all_to_all or ppermute")
      ->required();
  command->add_option("--world", kernel.world, "ranks of a group, 1 to 16")->required();
  command
      ->add_option("--shape", kernel.shape,
                   "shape of one block: a rank's operand (all_gather, all_reduce, ppermute), a rank's result "
                   "(reduce_scatter), or the block for one peer (all_to_all)")
      ->capture_default_str();
  command->add_option("--dim", kernel.dim, "dim of the operand or result that has the blocks of all ranks")
      ->capture_default_str();
  command->add_option("--concat", kernel.concat,
                      "all_to_all: dim of the result that has the blocks; default: --dim");
  command->add_option("--dtype", kernel.dtype, "type of the elements")->capture_default_str();
  command->add_option("--op", kernel.op, "op of a reduction: sum, max or min; default: sum");
  command->add_option("--pairs", kernel.pairs,
                      "pairs of a ppermute, source-target: 0-1,1-0; default: the ring i to i + 1");
  command->add_option(
      "--variant", kernel.variant,
      "standard, swizzled, push, one_shot, two_shot, two_launches or packets; default: standard, for "
      "all_reduce one_shot");
  command->add_option("--encoding", kernel.encoding, "encoding of the barrier: poll, atomics or threads")
      ->capture_default_str();
  command->add_option("--target", kernel.target, "vendor of the GPUs: nvidia or amd")->capture_default_str();
  command->add_option("--sm", kernel.sm, "compute capability that the PTX is for: 80 or 90")
      ->capture_default_str();
  command->add_option(
      "--emit", kernel.emit,
      "print the kernel as ttir (Triton 3.9), mlir (generic text) or ptx, or print its manifest or plan; "
      "default, without --check, --run, --why and --svg: ttir");
  command->add_flag("--check", kernel.check,
                    "run the kernel on a model of the GPUs in many schedules; find races, deadlocks and "
                    "wrong data; count bytes");
  command->add_flag("--run", kernel.run, "run the collective on this machine's GPUs and compare the result");
  command->add_option("--driver", kernel.driver, "library of the GPUs' driver, for --run")
      ->capture_default_str();
  command->add_option("--nccl", kernel.nccl, "library for reductions without a kernel, for --run")
      ->capture_default_str();
  command->add_flag("--why", kernel.why,
                    "explain whether a kernel exists, the reasons for its launch, and the fallback");
  command->add_option("--svg", kernel.svg,
                      "file for a picture of the order in which programs move tiles of each rank");
  return command;
}

CLI::App* add_devices(CLI::App& app, tutti::cli::DevicesArguments& devices) {
  CLI::App* command =
      app.add_subcommand("devices",
                         "list the devices that a PJRT plugin drives, and the plugins that are found");
  command->footer(
      "A plugin is XLA with a driver: for GPUs, TPUs or CPUs. The first of these is opened: --plugin, the\n"
      "environment variable TUTTI_PJRT_PLUGIN, the plugins in the Python environment $VIRTUAL_ENV, those in "
      ".venv\nof the checkout that this program was built in. The current folder is not searched.");
  command->add_option("--plugin", devices.plugin, "file of a plugin: libtpu.so, pjrt_c_api_cpu_plugin.so");
  command->add_flag("--json", devices.json, "the same as an object");
  return command;
}

CLI::App* add_mpi_info(CLI::App& app, tutti::cli::MpiInfoArguments& mpi_info) {
  CLI::App* command = app.add_subcommand(
      "mpi-info", "tell about the processes that mpirun has started: versions, hosts, links and traps");
  command->footer("Examples:\n  mpirun -n 4 tutti mpi-info --mesh data=4,model=2 --split data=2,model=2");
  command->add_option("--mesh", mpi_info.mesh,
                      "also tell which devices of this mesh each process would have: data=4,model=2");
  command->add_option(
      "--split", mpi_info.split,
      "into how many parts the processes divide axes: data=2; default: the first axes are divided first");
  command->add_flag("--json", mpi_info.json, "the same as an object");
  return command;
}

/// Makes CLI11 refuse -1, which it reads as the largest number of an unsigned type.
std::string refused_if_negative(const std::string& text) {
  return text.starts_with('-') ? fmt::format("{} is negative; give 0 or more", text) : "";
}

CLI::App* add_run(CLI::App& app, tutti::cli::RunArguments& run) {
  CLI::App* command = app.add_subcommand("run", "run a program that JAX has exported as StableHLO");
  command->footer("In Python: open('step.mlir', 'w').write(jax.jit(f).lower(x).as_text())\n\n"
                  "Examples:\n"
                  "  tutti run step.mlir --in x.npy --in params.npz:w1 --in 2x3xf32=0.5 --out y.npy\n"
                  "  tutti run step.mlir --in x=x.npy --expect want.npy --rtol 1e-5\n"
                  "  tutti run step.mlir --random --repeat 100");
  command->add_option("file", run.file, "StableHLO as text; - reads the standard input")->required();
  command
      ->add_option(
          "--in", run.in,
          "an argument: x.npy, params.npz, params.npz:name or 2x3xf32=0.5; in order, or by name: x=x.npy")
      ->allow_extra_args(false);
  command->add_flag("--random", run.random, "random numbers for arguments without --in: [-1, 1), or 0 to 7");
  command->add_option("--seed", run.seed, "of the random numbers")
      ->check(refused_if_negative)
      ->capture_default_str();
  command->add_flag("--zeros", run.zeros, "zeros for arguments without --in")->excludes("--random");
  command
      ->add_option("--out", run.out, "write a result to this .npy file, in order; or all results to one .npz")
      ->allow_extra_args(false);
  command
      ->add_option("--expect", run.expect,
                   "compare a result with this .npy file, in order; or all with one .npz")
      ->allow_extra_args(false);
  command->add_option(
      "--rtol", run.rtol,
      "difference allowed, as part of the largest expected value; default: 1e-5, 0 for integers");
  command->add_option("--atol", run.atol, "difference allowed beside that")->capture_default_str();
  command->add_option("--repeat", run.repeat, "call the program so many times, and print times")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--mesh", run.mesh, "devices by axis, x=4,y=2, if the program declares no mesh");
  command->add_option("--function", run.function, "function of the module")->capture_default_str();
  command
      ->add_option("--platform-index", run.platform_index,
                   "which platform is meant, of an export for several; from 0")
      ->check(refused_if_negative)
      ->capture_default_str();
  command->add_option("--machine", run.machine, tutti::cli::machine_help)->capture_default_str();
  command
      ->add_option("--workers", run.workers,
                   "threads that run the devices; 0: two where it may use two processors")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_option("--page", run.page,
                      "write the program, its states and its plan to this file, which a browser opens; also "
                      "of a program that is refused");
  command->add_option("--trace", run.trace,
                      "write what each worker does when to this file, which ui.perfetto.dev opens");
  command->add_flag("--explain", run.explain, "print the plan with times after the call");
  command->add_flag("--check-assumptions", run.check_assumptions,
                    "compare the values of all devices where the program takes them as equal");
  command->add_flag("--check-nans", run.check_nans,
                    "stop at the first operation that makes a NaN or an infinity");
  command->add_flag("--per-device", run.per_device,
                    "store each value once per device, and compare copies that must be equal");
  return command;
}

CLI::App* add_check(CLI::App& app, tutti::cli::CheckArguments& check) {
  CLI::App* command = app.add_subcommand("check", "say what is wrong with programs of StableHLO, and where");
  command->add_option("files", check.files, "StableHLO as text; - reads the standard input")->required();
  command->add_flag("--json", check.json, "the same as a list of objects");
  return command;
}

CLI::App* add_print(CLI::App& app, tutti::cli::PrintArguments& print) {
  CLI::App* command =
      app.add_subcommand("print", "print a program of StableHLO with the states of its values");
  command->add_option("file", print.file, "StableHLO as text; - reads the standard input")->required();
  command->add_option("--form", print.form, "program: with states and places; pretty or generic: StableHLO")
      ->capture_default_str();
  command->add_option("--function", print.function, "function of the module")->capture_default_str();
  command->add_flag("--locations", print.locations,
                    "with the locations of the text; for --form pretty or generic");
  return command;
}

/// A mesh without axes and the shape of a scalar are empty texts.
void on_call(CLI::App* command, const std::function<void()>& act) {
  command->callback([command, act] {
    tutti::cli::require_option_values(*command, {"--mesh", "--shape"});
    act();
  });
}

int run(int argc, char** argv) {
  CLI::App app("SPMD array programs: types, derivatives, batching and execution through every collective.",
               "tutti");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  int status = 0;

  tutti::cli::RulesOptions rules;
  on_call(add_rules(app, rules), [&] { status = tutti::cli::rules(rules); });
  tutti::cli::ExplainOptions explain;
  on_call(add_explain(app, explain), [&] { status = tutti::cli::explain(explain); });
  tutti::cli::PlanArguments plan;
  on_call(add_plan(app, plan), [&] { status = tutti::cli::plan(plan); });

  tutti::cli::KernelArguments kernel;
  on_call(add_kernel(app, kernel), [&] { status = tutti::cli::kernel(kernel); });

  tutti::cli::DevicesArguments devices;
  on_call(add_devices(app, devices), [&] { status = tutti::cli::devices(devices); });

  tutti::cli::MpiInfoArguments mpi_info;
  CLI::App* const mpi_info_command = add_mpi_info(app, mpi_info);
  on_call(mpi_info_command, [&] {
    tutti::cli::require_option_values(*mpi_info_command);  // here an empty mesh is a mistake
    status = tutti::cli::mpi_info(mpi_info);
  });

  tutti::cli::RunArguments run_arguments;
  CLI::App* const run_command = add_run(app, run_arguments);
  on_call(run_command, [&] {
    tutti::cli::require_option_values(*run_command);  // here an empty mesh is a mistake
    status = tutti::cli::run(run_arguments);
  });
  tutti::cli::CheckArguments check;
  on_call(add_check(app, check), [&] { status = tutti::cli::check(check); });
  tutti::cli::PrintArguments print;
  on_call(add_print(app, print), [&] { status = tutti::cli::print(print); });

  if (argc == 1) {
    fmt::print("{}", app.help());
    return 0;
  }
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
    // CLI11 looks for missing options first, and would not say that one is misspelt.
    const std::vector<std::string> left = app.remaining(true);
    const auto unknown =
        std::ranges::find_if(left, [](const std::string& word) { return word.starts_with('-'); });
    if (unknown != left.end())
      tutti::fail(tutti::Code::usage, "there is no option {}; see tutti {}--help", *unknown, command);
    tutti::fail(tutti::Code::usage, "{}; see tutti {}--help", error.what(), command);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("tutti", [&] { return run(argc, argv); });
}
