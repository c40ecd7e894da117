// SPDX-License-Identifier: Apache-2.0
// Law: every op lowers, in every state and after every transform, to values of its results' shapes and dtypes
// (lower/ compares them), or says why not. Whether the text means the same is what tests/oracle asks the real
// parser and XLA.
#include <algorithm>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/laws/transforms.hpp"
#include "tests/support/programs.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

Program without_borders(const Program& program) {
  return with_borders_as_moves(program, [](const Equation&) { return false; });
}

// An op that says why it does not lower: the law of refusals asks whether it says so.
bool is_refused(const Program& program) {
  return std::ranges::any_of(program.equations, [](const Equation& equation) {
    return !equation.op->refusal(Rule::lower).empty();
  });
}

void expect_lowers(const Program& with_borders, const std::string& what, Findings& findings) {
  try {
    Program program = without_borders(with_borders);
    if (is_refused(program)) return findings.hold();
    findings.expect(!write(lower_per_device(program, example_mesh())).empty(), [&] { return what; });
  } catch (const Error& error) {
    findings.broken(what + ": " + error.what());
  }
}

void lowers(const Example& example, Findings& findings) {
  expect_lowers(program_of(example), described(example), findings);
}

void lowers_after_transforms(const Example& example, Findings& findings) {
  for (const Transform& transform : transforms_of(example)) try {
      expect_lowers(transform.apply(program_of(example)).program, described(example) + ", " + transform.name,
                    findings);
    } catch (const Error& error) {
      if (error.code() != Code::refused_rule) throw;  // the law of types says what may be refused
    }
}

class lowering : public EveryOp {};
TEST_P(lowering, gives_the_types_of_the_results) { expect_holds(lowers); }
TEST_P(lowering, gives_the_types_of_the_results_after_transforms) {
  Findings findings;
  for (const Example& example : GetParam().examples) lowers_after_transforms(example, findings);
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
}
INSTANTIATE_TEST_SUITE_P(every_op, lowering, every_op(), op_name);

TEST(lowering, of_composed_programs) {
  Findings findings;
  for (const NamedProgram& named : composed_programs()) {
    expect_lowers(named.program, named.name, findings);
    for (const Transform& transform : transforms_of(named.program))
      expect_lowers(transform.apply(named.program).program, named.name + ", " + transform.name, findings);
  }
  EXPECT_TRUE(findings.text().empty()) << findings.text();
}

TEST(lowering, catches_a_value_of_another_shape) {
  EXPECT_FALSE(holds(lowers, planted::ReshapeLoweredToOperand::examples()));
}

}  // namespace
}  // namespace tutti
