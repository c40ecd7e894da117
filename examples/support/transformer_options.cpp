// SPDX-License-Identifier: Apache-2.0
#include "examples/support/transformer_options.hpp"

#include <CLI/CLI.hpp>

namespace transformer {

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a transformer to predict the next character, on virtual devices of this machine.");
  examples::add_options(app, options, "32 times 32 characters");
  app.add_option("--text", options.text, "the text; what is not printable ASCII is read as '?'")
      ->capture_default_str();
  app.add_option("--layers", options.layers, "how deep it is")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_flag("--scan", options.scan, "one loop over the layers instead of all of them written out");
  if (!examples::parse(app, "transformer", argc, argv)) return std::nullopt;
  return options;
}

}  // namespace transformer
