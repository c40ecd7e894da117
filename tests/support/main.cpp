// SPDX-License-Identifier: Apache-2.0
// The main of all test programs.
#include <gtest/gtest.h>

#include "tests/support/plain_machine.hpp"

int main(int argc, char** argv) {
  tutti::use_plain_machine_if_asked(argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
