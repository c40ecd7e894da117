// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "examples/support/training.hpp"

namespace experts {

struct Options : examples::TrainingOptions {
  Options() {
    mesh = "expert=8";
    steps = 500;
  }
  std::string text = "LICENSE";
  std::string picture;  // file for the losses as SVG
};

/// The command line. None for --help, which it prints. Throws R002.
std::optional<Options> parse(int argc, char** argv);

}  // namespace experts
