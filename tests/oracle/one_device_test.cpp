// SPDX-License-Identifier: Apache-2.0
// Functions of one device, as JAX lowers and exports them, run by the tool (jax_one_device.py).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/command.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class jax_one_device : public OracleTest {};

TEST_F(jax_one_device, has_the_numbers_of_jax) {
  if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  const fs::path folder = fs::temp_directory_path() / ("tutti_one_device_" + std::to_string(::getpid()));
  const char* named = std::getenv("TUTTI_PYTHON");
  const std::string python = named == nullptr ? ".venv/bin/python" : named;
  const Finished run = run_command(python + " tests/oracle/jax_one_device.py " + program_folder() +
                                   "/tutti " + folder.string());
  fs::remove_all(folder);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("216 functions in 2 forms: 0 differ"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace tutti
