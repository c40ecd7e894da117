// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace tutti {

/// The text of tests/lower/<name>.mlir; tests run in the repository root.
inline std::string golden(const std::string& name) {
  std::ifstream file("tests/lower/" + name + ".mlir");
  EXPECT_TRUE(file.good()) << "run the tests in the root of the repository";
  return (std::ostringstream() << file.rdbuf()).str();
}

}  // namespace tutti
