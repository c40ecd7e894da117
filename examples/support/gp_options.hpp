// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "examples/support/training.hpp"

namespace gp {

struct Options : examples::TrainingOptions {
  Options() {
    mesh = "data=8";
    steps = 150;
  }
  std::string picture;  // file for the prediction as SVG
  int points = 512;     // of the training
};

/// The command line. None for --help, which it prints. Throws R002.
std::optional<Options> parse(int argc, char** argv);

}  // namespace gp
