// SPDX-License-Identifier: Apache-2.0
#include "examples/support/gp_options.hpp"

#include <CLI/CLI.hpp>

namespace gp {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Fits a Gaussian process to noisy points, which are split over virtual devices of this machine.");
  examples::add_options(app, options, "descent");
  app.get_option("--mesh")->description("devices by axis; needs the axis data");
  app.get_option("--steps")->description("steps of descent");
  app.get_option("--save")->description(
      "write the hyperparameters, momentum and step to this file, which numpy.load opens, at the end");
  app.add_option("--points", options.points, "points to learn from; --mesh splits them")
      ->capture_default_str()
      ->check(CLI::Range(8, 100000));
  app.add_option("--picture", options.picture, "draw points, mean and band into this file, as SVG");
  if (!examples::parse(app, "gp", argc, argv)) return std::nullopt;
  return options;
}

}  // namespace gp
