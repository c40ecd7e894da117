// SPDX-License-Identifier: Apache-2.0
#include "examples/support/heat_options.hpp"

#include <CLI/CLI.hpp>

namespace heat {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Finds the field that heat began with from the one that it ended with, on virtual devices of "
               "this machine.");
  examples::add_options(app, options, "descent");
  app.get_option("--mesh")->description("devices by axis; needs the axes y and x");
  app.get_option("--steps")->description("steps of descent");
  app.get_option("--save")->description(
      "write the field that was found, momentum and step to this file, which numpy.load opens, at the end");
  app.add_option("--size", options.size, "points along each side of the plate; --mesh splits them")
      ->capture_default_str()
      ->check(CLI::Range(8, 4096));
  app.add_option("--time-steps", options.time_steps, "time steps that heat spreads for")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--picture", options.picture, "draw the fields into this file, as SVG");
  if (!examples::parse(app, "heat", argc, argv)) return std::nullopt;
  return options;
}

}  // namespace heat
