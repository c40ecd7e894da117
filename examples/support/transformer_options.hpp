// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "examples/support/training.hpp"

namespace transformer {

struct Options : examples::TrainingOptions {
  Options() { steps = 300; }
  std::string text = "LICENSE";
  int layers = 12;
  bool scan = false;
};

/// The command line. None for --help, which it prints. Throws R002.
std::optional<Options> parse(int argc, char** argv);

}  // namespace transformer
