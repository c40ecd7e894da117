// SPDX-License-Identifier: Apache-2.0
#include "examples/support/experts_options.hpp"

#include <CLI/CLI.hpp>

namespace experts {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Trains experts, one on each virtual device of this machine, to predict the next character.");
  examples::add_options(app, options, "256 characters, each after 8 others");
  app.get_option("--mesh")->description("devices, an expert on each; needs the axis expert");
  app.add_option("--text", options.text, "the text; what is not printable ASCII is read as '?'")
      ->capture_default_str();
  app.add_option("--picture", options.picture, "draw the losses of all steps into this file, as SVG");
  if (!examples::parse(app, "experts", argc, argv)) return std::nullopt;
  return options;
}

}  // namespace experts
