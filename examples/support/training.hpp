// SPDX-License-Identifier: Apache-2.0
// Options and the training loop, shared by the programs that train.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "tutti/tutti.hpp"

namespace CLI {
class App;
}

namespace examples {

struct TrainingOptions {
  std::string mesh = "data=4,model=2";
  std::string curve;       // file for "step loss" lines, the loss as a hex float
  std::string load, save;  // what the training goes on from, as .npz
  int every = 0;           // saves after so many steps; 0: at the end alone
  std::string trace;       // file for what each worker does when
  std::string page;        // file for the page of the step
  std::string machine = "local";
  int workers = 0;  // 0: two where it may use two processors
  int steps = 0;
  bool explain = false;
};

/// Adds them to a command line; `step` says in the help what one step takes: "256 digits".
void add_options(CLI::App& app, TrainingOptions& options, const std::string& step);

/// Reads the command line. False if there is nothing to run: --help, which it prints. Throws R002.
bool parse(CLI::App& app, const std::string& program, int argc, char** argv);

/// The machine that they ask for. Of several processes the first one alone prints: the others' output is
/// dropped. Throws as open_local, open_xla and open_mpi do; R004 for mpi if it was built without.
tutti::Machine open_machine(const tutti::Mesh& mesh, const TrainingOptions& options);
/// Says on stderr if the timeline has not all events, and why.
void warn_of_left_out(const std::string& program, const tutti::Machine& machine,
                      const TrainingOptions& options);

void print_explained(const tutti::ops::Program& program, const std::string& plan);
/// Takes some steps as training does, by `take_step`; prints the compiled step's program, and its plan with
/// their times.
/// For a machine that measures.
template <class Step>
void explain(const Step& step, const std::function<double()>& take_step) {
  constexpr int measured_steps = 32;
  for (int i = 0; i < measured_steps; ++i) take_step();
  print_explained(step.program(), step.explain());
}

/// Saves the page of the step, if the options ask for one.
template <class Step>
void show(const tutti::Machine& machine, const TrainingOptions& options, const Step& step) {
  if (!options.page.empty() && machine.process() == 0) tutti::save_page(options.page, step, tutti::Where{});
}

/// The loop of a training. `take_step` takes a step and returns its loss. `save` writes the state after so
/// many steps.
struct Training {
  int steps_taken = 0;  // before this run
  std::function<double()> take_step;
  std::function<void(int steps_taken)> save;
  std::stop_token stop = {};  // ends the training between two steps
};
enum class Ending { all_steps, stopped };
/// Takes the steps that are left of those in `options`; shows progress, writes the curve of these, saves.
/// Throws R001, before the first step, if the curve or the state cannot be written; later if the disk is
/// full. A training that is stopped also writes and saves, and says on stderr how it goes on.
Ending train(const tutti::Machine& machine, const TrainingOptions& options, const Training& training);

/// All that a training goes on from, to the same bits.
template <class Params>
struct Checkpoint {
  Params params, momentum;
  tutti::Array step;  // i32[]: the steps taken
};

/// Reads the file that `options` name, if they name one. Returns the steps taken until then. All processes
/// call it.
template <class Params>
int load(const tutti::Machine& machine, const TrainingOptions& options, Params& params, Params& momentum) {
  if (options.load.empty()) return 0;
  Checkpoint<Params> like{params, momentum, tutti::abstract({}, tutti::DType::i32)};
  Checkpoint<Params> loaded = tutti::load_tree(machine, options.load, like, {}, tutti::Where{});
  params = loaded.params;
  momentum = loaded.momentum;
  return static_cast<int>(loaded.step.item());
}
template <class Params>
void save(const tutti::Machine& machine, const TrainingOptions& options, const Params& params,
          const Params& momentum, int steps_taken) {
  const Checkpoint<Params> now{params, momentum, tutti::Tensor(tutti::Shape{}, {steps_taken})};
  tutti::save_tree(machine, options.save, now, tutti::Where{});
}

}  // namespace examples
