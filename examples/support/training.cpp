// SPDX-License-Identifier: Apache-2.0
#include "examples/support/training.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "examples/support/progress.hpp"
#include "examples/support/text_file.hpp"
#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/cli/words/open_machine.hpp"
#include "tutti/cli/words/option_values.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace examples {

using namespace tutti;

void add_options(CLI::App& app, TrainingOptions& options, const std::string& step) {
  app.add_option("--mesh", options.mesh, "devices by axis; needs the axes data and model")
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that run the devices; 0: two where it may use two processors")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  app.add_option("--machine", options.machine, cli::machine_help)->capture_default_str();
  app.add_option("--steps", options.steps, "training steps of " + step)
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app.add_option("--curve", options.curve, "write step and loss (as a hex float) of every step to this file");
  app.add_option("--load", options.load,
                 "go on from this file; --steps counts the steps that led to it, too");
  const CLI::Option* save =
      app.add_option("--save", options.save,
                     "write parameters, momentum and step to this file, which numpy.load opens, at the end");
  app.add_option("--every", options.every, "also save after every so many steps; 0: only at the end")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000))
      ->needs(const_cast<CLI::Option*>(save));
  app.add_option("--trace", options.trace,
                 "write what each worker does when to this file, which ui.perfetto.dev opens");
  app.add_option("--page", options.page,
                 "write a page of the step, with times of this run, to this file, which a browser opens");
  app.add_flag("--explain", options.explain,
               "print the step's program with types and places, and its plan with times; do not train");
}

bool parse(CLI::App& app, const std::string& program, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    cli::require_option_values(app);
    return true;
  } catch (const CLI::ParseError& error) {
    ops::require(error.get_exit_code() == 0, Code::usage, "{}; see {} --help", error.what(), program);
    app.exit(error);  // prints the help
    return false;
  }
}

Machine open_machine(const Mesh& mesh, const TrainingOptions& options) {
  const MachineOptions own{.workers = options.workers,
                           .trace = options.trace,
                           .measure = options.explain || !options.page.empty()};
  return cli::open_machine(cli::machine_of(options.machine), mesh, own);
}

void warn_of_left_out(const std::string& program, const Machine& machine, const TrainingOptions& options) {
  const std::int64_t left_out = machine.events_left_out();
  if (const std::string failure = machine.trace_failure(); !failure.empty())
    print_note(
        fmt::format("{}: {}; {} not in it\n", program, failure, counted(left_out, "event is", "events are")));
  else if (left_out > 0 && !options.trace.empty())
    print_note(fmt::format("{}: {} is full: {} not in it\n", program, options.trace,
                           counted(left_out, "later event is", "later events are")));
  else if (left_out > 0)
    print_note(fmt::format("{}: {} not measured\n", program, counted(left_out, "event was", "events were")));
}

void print_explained(const tutti::ops::Program& program, const std::string& plan) {
  fmt::print("{}\n{}", to_string(program), plan);
}

namespace {

std::string how_to_go_on(const TrainingOptions& options, int steps_taken) {
  return fmt::format("stopped after step {} of {}; {}", steps_taken, options.steps,
                     options.save.empty() ? "nothing is saved without --save FILE"
                                          : fmt::format("go on with --load {}", options.save));
}

}  // namespace

Ending train(const Machine& machine, const TrainingOptions& options, const Training& training) {
  const bool is_first = machine.process() == 0;
  const auto try_files = [&] {
    if (is_first && !options.save.empty())
      require_writable(options.save, ".npz", SpecialFile::refused, Where{});
    if (is_first && !options.curve.empty())
      require_writable(options.curve, ".txt", SpecialFile::allowed, Where{});
    if (is_first && !options.page.empty())
      require_writable(options.page, ".html", SpecialFile::allowed, Where{});
    return std::string();
  };
  machine.backend().do_together(try_files, "");
  std::string curve;
  std::fflush(stdout);  // before the progress, which goes to stderr
  Progress progress(is_first ? options.steps : 0);
  int i = training.steps_taken;
  while (i < options.steps && !training.stop.stop_requested()) {
    double loss = training.take_step();
    curve += fmt::format("{} {:a}\n", ++i, loss);
    if (is_first) progress.show(i, fmt::format("step {}  loss {:.4f}", i, loss));
    if (options.every > 0 && i % options.every == 0 && i < options.steps) training.save(i);
  }
  if (!options.save.empty()) training.save(i);
  if (is_first && !options.curve.empty()) write_text(options.curve, ".txt", curve);
  if (i >= options.steps) return Ending::all_steps;
  progress.end(how_to_go_on(options, i));
  return Ending::stopped;
}

}  // namespace examples
