// SPDX-License-Identifier: Apache-2.0
// Law: every value that is typed equal along an axis, I or R, is equal there. Computed with a buffer per
// device, of every op, after every transform, and in programs as users write them.
#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/laws/transforms.hpp"
#include "tests/support/programs.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// The first variable that differs between devices although its type says that it does not; empty if none
// does.
std::string unequal(const Program& with_borders, const std::vector<PerDevice>& inputs) {
  Program program = without_unreduced_borders(with_borders);
  std::vector<PerDevice> values = evaluate_all(program, example_mesh(), inputs);
  for (std::size_t var = 0; var < values.size(); ++var) {
    if (values[var].empty()) continue;  // of dead code
    Type type = program.types[var];
    Axes equal;
    for (const Axis& axis : example_mesh().axes())
      if (!is_stored_per_device(type.at(axis))) equal.push_back(axis);
    if (Axes differ = unequal_axes(values[var], equal); !differ.empty())
      return "%" + std::to_string(var) + ": " + to_string(type) + " differs along " + to_string(differ) +
             "\n" + to_string(program);
  }
  return {};
}

void expect_sound(const Program& program, const std::string& what, Findings& findings,
                  const std::vector<ExampleOperand>& operands = {}) {
  Random random(6);
  std::string found = unequal(program, values_for(random, program, operands, Numbers::any));
  findings.expect(found.empty(), [&] { return what + ": " + found; });
}

void equal_is_equal(const Example& example, Findings& findings) {
  Program program = program_of(example);
  expect_sound(program, described(example), findings, example.operands);
  for (const Transform& transform : transforms_of(example)) try {
      expect_sound(transform.apply(program).program, described(example) + ", " + transform.name, findings,
                   example.operands);
    } catch (const Error& error) {
      if (error.code() != Code::refused_rule) throw;  // the law of types says what may be refused
    }
}

class soundness : public EveryOp {};
TEST_P(soundness, what_is_typed_equal_is_equal) { expect_holds(equal_is_equal); }
INSTANTIATE_TEST_SUITE_P(every_op, soundness, every_op(), op_name);

TEST(soundness, of_composed_programs) {
  for (const NamedProgram& named : composed_programs()) {
    Findings findings;
    expect_sound(named.program, named.name, findings);
    for (const Transform& transform : transforms_of(named.program))
      expect_sound(transform.apply(named.program).program, named.name + ", " + transform.name, findings);
    EXPECT_TRUE(findings.text().empty()) << findings.text();
  }
}

TEST(soundness, catches_a_maximum_over_pairs_that_is_typed_equal) {
  EXPECT_FALSE(holds(equal_is_equal, planted::MaximumOfPairs::examples()));
}

}  // namespace
}  // namespace tutti
