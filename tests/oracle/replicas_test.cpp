// SPDX-License-Identifier: Apache-2.0
// The real parser reads the form for replicas. tests/xla runs it.
#include <gtest/gtest.h>

#include "tests/support/oracle.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/values.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

class replicas : public OracleTest {};

TEST_F(replicas, of_all_composed_programs_are_legal) {
  for (const NamedProgram& row : composed_programs()) {
    const stablehlo::Module module = lower_replicas(row.program, example_mesh());
    for (const bool locations : {false, true}) {
      const std::string text = write(module, {.locations = locations});
      EXPECT_EQ(Oracle::shared().check(text).errors, std::vector<std::string>{}) << row.name << text;
    }
  }
}

TEST_F(replicas, that_are_given_away_are_legal) {
  Program program;
  program.types = {Type(DType::f32, {4}), Type(DType::i32, {})};
  program.inputs = {0, 1};
  program.outputs = {1, 0};
  const std::string text = write(lower_replicas(program, example_mesh(), {.aliases = {1, 0}}));
  EXPECT_NE(text.find("tf.aliasing_output = 1"), text.npos) << text;
  EXPECT_EQ(Oracle::shared().check(text).errors, std::vector<std::string>{}) << text;
}

}  // namespace
}  // namespace tutti
