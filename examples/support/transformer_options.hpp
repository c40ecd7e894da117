// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/support/training.hpp"

namespace transformer {

struct Options : examples::TrainingOptions {
  Options() { steps = 300; }
  std::string text = "LICENSE";
  int layers = 12;
  bool scan = false;
};

Options parse(int argc, char** argv);

}  // namespace transformer
