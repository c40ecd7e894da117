// SPDX-License-Identifier: Apache-2.0
#include "examples/support/digits_options.hpp"

#include <CLI/CLI.hpp>

namespace digits {

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a classifier on 1,797 real handwritten digits, on virtual devices of this machine.");
  app.add_option("--mesh", options.mesh, "devices by axis; needs the axes data and model")
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that run the devices; 0: two where there are two cores")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  app.add_option("--steps", options.steps, "training steps of 256 digits")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app.add_option("--data", options.data, "the digits")->capture_default_str();
  app.add_option("--curve", options.curve, "write step and loss (as a hex float) of every step to this file");
  app.add_option("--load", options.load,
                 "begin with the parameters in this file, for example with --steps 0");
  app.add_option("--save", options.save, "write the trained parameters to this file, which numpy.load opens");
  app.add_option("--trace", options.trace,
                 "write what each worker does when to this file, which ui.perfetto.dev opens");
  app.add_flag("--explain", options.explain,
               "print the step's program with types and places, and its plan with times; do not train");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 1);
  }
  return options;
}

}  // namespace digits
