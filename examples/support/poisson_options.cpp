// SPDX-License-Identifier: Apache-2.0
#include "examples/support/poisson_options.hpp"

#include <CLI/CLI.hpp>

namespace poisson {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Solves Poisson's equation on a periodic cube by Fourier transforms over virtual devices of this "
      "machine, and finds the source from the potential.");
  examples::add_options(app, options, "descent");
  app.get_option("--mesh")->description("devices by axis; needs the axes y and x");
  app.get_option("--steps")->description("steps of descent");
  app.get_option("--save")->description(
      "write the source that was found, momentum and step to this file, which numpy.load opens, at the end");
  app.add_option("--size", options.size, "points along each edge of the cube; --mesh splits them")
      ->capture_default_str()
      ->check(CLI::Range(4, 512));
  app.add_option("--picture", options.picture, "draw a slice of the fields into this file, as SVG");
  if (!examples::parse(app, "poisson", argc, argv)) return std::nullopt;
  return options;
}

}  // namespace poisson
