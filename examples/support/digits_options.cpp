// SPDX-License-Identifier: Apache-2.0
#include "examples/support/digits_options.hpp"

#include <CLI/CLI.hpp>

namespace digits {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a classifier on 1,797 real handwritten digits, on virtual devices of this machine.");
  examples::add_options(app, options, "256 digits");
  app.add_option("--model", options.model, "the network: dense (two layers) or conv (four convolutions)")
      ->capture_default_str()
      ->check(CLI::IsMember({"dense", "conv"}));
  app.add_option("--data", options.data, "the digits")->capture_default_str();
  app.add_option(
      "--stablehlo", options.stablehlo,
      "write the training step as StableHLO to this file (- is stdout) and stop; see docs/stablehlo.md");
  if (!examples::parse(app, "digits", argc, argv)) return std::nullopt;
  if (options.model == "conv" && app.count("--steps") == 0) options.steps = 500;
  return options;
}

}  // namespace digits
