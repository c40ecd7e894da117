// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "examples/support/training.hpp"

namespace poisson {

struct Options : examples::TrainingOptions {
  Options() {
    mesh = "y=4,x=2";
    steps = 150;
  }
  std::string picture;  // file for a slice of the fields as SVG
  int size = 32;        // points along each edge of the cube
};

/// The command line. None for --help, which it prints. Throws R002.
std::optional<Options> parse(int argc, char** argv);

}  // namespace poisson
