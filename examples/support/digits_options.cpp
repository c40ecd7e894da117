// SPDX-License-Identifier: Apache-2.0
#include "examples/support/digits_options.hpp"

#include <CLI/CLI.hpp>

namespace digits {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a classifier on 1,797 real handwritten digits, on virtual devices of this machine.");
  examples::add_options(app, options, "256 digits");
  app.add_option("--data", options.data, "the digits")->capture_default_str();
  app.add_option(
      "--stablehlo", options.stablehlo,
      "write the training step as StableHLO to this file (- is stdout) and stop; see docs/stablehlo.md");
  if (!examples::parse(app, "digits", argc, argv)) return std::nullopt;
  return options;
}

}  // namespace digits
