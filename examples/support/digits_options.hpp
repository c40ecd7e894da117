// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace digits {

struct Options {
  std::string mesh = "data=4,model=2";
  std::string data = "examples/data/digits.csv.gz";
  std::string curve;       // file for "step loss" lines, the loss as a hex float
  std::string load, save;  // parameters, as .npz
  std::string trace;       // file for what each worker does when
  int workers = 0;         // 0: two where there are two cores
  int steps = 250;
  bool explain = false;
};

/// Reads the command line. Prints help or what is wrong, and ends the program, where there is nothing to run.
Options parse(int argc, char** argv);

}  // namespace digits
