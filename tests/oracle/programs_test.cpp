// SPDX-License-Identifier: Apache-2.0
// Whole programs: XLA and the reference interpreter compute on every device what our runtime does.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/differences.hpp"
#include "tests/support/programs.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {

void PrintTo(const NamedProgram& program, std::ostream* out) { *out << program.name; }

namespace {

class programs : public OracleTest, public testing::WithParamInterface<NamedProgram> {
 protected:
  void SetUp() override {
    OracleTest::SetUp();
    Random random(7);
    inputs_ = random_values(random, GetParam().operands, Numbers::any);
  }
  // f64. Results are the ends of fewer than 200 roundings of numbers below 32.
  std::string difference_from(Oracle& peer) const {
    const Program& program = GetParam().program;
    Values ours = run_on_machine(program, example_mesh(), inputs_);
    return difference(program, ours, computed_by(peer, program, inputs_), bounds_of_epsilons(ours, 200 * 32));
  }
  Values inputs_;
};

TEST_P(programs, compute_what_xla_computes) { EXPECT_EQ(difference_from(Oracle::shared()), ""); }

TEST_P(programs, compute_what_the_interpreter_computes) {
  const Program& program = GetParam().program;
  if (!communicates_in_a_loop(program)) {
    EXPECT_EQ(difference_from(Oracle::interpreter()), "");
    return;
  }
  std::string text = write(lower_per_device(program, example_mesh()));
  EXPECT_EQ(Oracle::interpreter().run(text, 8, inputs_).failure, defect_of_loops);
}

INSTANTIATE_TEST_SUITE_P(composed, programs, testing::ValuesIn(composed_programs()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tutti
