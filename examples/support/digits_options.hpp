// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "examples/support/training.hpp"

namespace digits {

struct Options : examples::TrainingOptions {
  Options() { steps = 250; }
  std::string data = "examples/data/digits.csv.gz";
  std::string model = "dense";  // or "conv"
  std::string stablehlo;        // file for the step's StableHLO; "-": stdout
};

/// The command line. None for --help, which it prints. Throws R002.
std::optional<Options> parse(int argc, char** argv);

}  // namespace digits
