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
  std::string load, save;  // .npz files: the state to start from, and where to save it
  int every = 0;           // steps between two saves; 0: save at the end only
  std::string trace;       // file for the timeline of the workers
  std::string page;        // file for the page of the step
  std::string machine = "local";
  int workers = 0;  // 0: as open_local chooses
  int steps = 0;
  bool explain = false;
};

/// Adds the options to a command line. `step` is for the help and says how much data a step takes: "256
/// digits".
void add_options(CLI::App& app, TrainingOptions& options, const std::string& step);

/// Reads the command line. Prints the help and returns false for --help. Throws R002 for a wrong command
/// line.
bool parse(CLI::App& app, const std::string& program, int argc, char** argv);

/// Opens the machine that the options name. With several processes only the first one prints; the output of
/// the others is dropped. Throws as open_local, open_xla and open_mpi; R004 for mpi if this was built without
/// MPI.
tutti::Machine open_machine(const tutti::Mesh& mesh, const TrainingOptions& options);
/// Warns on stderr if events are missing from the timeline, and says why.
void warn_of_left_out(const std::string& program, const tutti::Machine& machine,
                      const TrainingOptions& options);

void print_explained(const tutti::ops::Program& program, const std::string& plan);
/// Takes 32 steps by calling `take_step`, then prints the program of `step` and its plan with measured times.
/// The machine must measure (MachineOptions::measure).
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

/// The parts of a training.
struct Training {
  int steps_taken = 0;                        // before this run
  std::function<double()> take_step;          // returns the loss
  std::function<void(int steps_taken)> save;  // writes the state
  std::stop_token stop = {};                  // ends the training between two steps
};
enum class Ending { all_steps, stopped };
/// Runs steps until options.steps are taken. Shows progress, writes the curve and saves the state, also if it
/// is stopped; then it says on stderr how to continue.
/// Throws R001 before the first step if the curve or the state cannot be written, and later if the disk is
/// full.
Ending train(const tutti::Machine& machine, const TrainingOptions& options, const Training& training);

/// The state of a training. A run that continues from it gives the same bits as one that was not interrupted.
template <class Params>
struct Checkpoint {
  Params params, momentum;
  tutti::Array step;  // i32[]: the steps taken
};

/// Reads the state from options.load, if set. Returns the number of steps taken so far. All processes call
/// it.
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
