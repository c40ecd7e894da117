// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/support/training.hpp"

namespace digits {

struct Options : examples::TrainingOptions {
  Options() { steps = 250; }
  std::string data = "examples/data/digits.csv.gz";
};

Options parse(int argc, char** argv);

}  // namespace digits
