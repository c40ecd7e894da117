// SPDX-License-Identifier: Apache-2.0
// Law: a transform keeps the meaning of what it keeps, bit for bit. Simplified programs compute the same;
// derivatives return the same results before the tangents and cotangents; the halves of a split, one after
// the other, are the whole.
#include <algorithm>

#include "tests/laws/law.hpp"
#include "tests/laws/transforms.hpp"
#include "tests/support/programs.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

using Values = std::vector<PerDevice>;

Values values_of(const Program& program, const Values& inputs) {
  return evaluate(program, example_mesh(), inputs);
}
Values joined(Values front, const Values& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}
Values first(const Values& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

void simplified(const Program& program, const std::vector<Transform>& transforms, const Values& x,
                const std::string& what, Findings& findings) {
  Values expected = values_of(program, x);
  for (const Transform& transform : transforms) {
    Program made = transform.apply(program).program;
    findings.expect(values_of(made, x) == expected, [&] {
      return what + ", " + transform.name + ": other values\n" + to_string(program) + to_string(made);
    });
  }
}

Types marked(const Program& program, const Bits& bits) {
  Types types;
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) types.push_back(program.type(program.inputs[i]));
  return types;
}

// The halves of the derivative, one after the other.
Values in_two_halves(const Program& derived, const Bits& linear, const Values& known,
                     const Values& tangents) {
  SplitProgram halves = split(derived, linear);
  Values outputs = values_of(halves.known, known);
  auto results = static_cast<std::size_t>(std::ranges::count(halves.linear_outputs, false));
  Values residuals(outputs.begin() + static_cast<std::ptrdiff_t>(results), outputs.end());
  Values moved = values_of(halves.linear, joined(residuals, tangents)), all;
  for (std::size_t i = 0, next_known = 0, next_moved = 0; i < halves.linear_outputs.size(); ++i)
    all.push_back(halves.linear_outputs[i] ? moved[next_moved++] : outputs[next_known++]);
  return all;
}

void derived(const Program& program, const Values& x, const std::string& what, Findings& findings) {
  Random random(17);
  Bits floats = float_inputs(program), linear(x.size());
  Values expected = values_of(program, x), v = random_values(random, marked(program, floats), Numbers::any);
  Program forward = jvp(program, floats).program, backward = vjp(program, floats);
  Values tangents = values_of(forward, joined(x, v));
  findings.expect(first(tangents, expected.size()) == expected,
                  [&] { return what + ", jvp: other results"; });
  linear.resize(forward.inputs.size(), true);
  findings.expect(in_two_halves(forward, linear, x, v) == tangents,
                  [&] { return what + ", split: other values"; });
  Types cotangents = backward.types_of(backward.inputs);
  cotangents.erase(cotangents.begin(), cotangents.begin() + static_cast<std::ptrdiff_t>(x.size()));
  Values found = values_of(backward, joined(x, random_values(random, cotangents, Numbers::any)));
  findings.expect(first(found, expected.size()) == expected, [&] { return what + ", vjp: other results"; });
}

void keeps_its_meaning(const Example& example, Findings& findings) {
  Random random(18);
  Program program = program_of(example);
  Values x = random_values(random, example.operands, Numbers::any);
  simplified(program, simplifications(), x, described(example), findings);
  if (example.op->refusal(Rule::jvp).empty() && !example.op.as<While>())
    derived(program, x, described(example), findings);
}

class meaning : public EveryOp {};
TEST_P(meaning, stays_in_all_transforms) { expect_holds(keeps_its_meaning); }
INSTANTIATE_TEST_SUITE_P(every_op, meaning, every_op(), op_name);

TEST(meaning, of_composed_programs_and_their_derivatives_stays) {
  Findings findings;
  for (const NamedProgram& named : composed_programs()) {
    Random random(19);
    Values x = random_values(random, named.operands, Numbers::any);
    simplified(named.program, simplifications(), x, named.name, findings);
    derived(named.program, x, named.name, findings);
    Program gradient = vjp(named.program, float_inputs(named.program));
    Values inputs = random_values(random, gradient.types_of(gradient.inputs), Numbers::any);
    simplified(gradient, simplifications(), inputs, named.name + ", vjp", findings);
  }
  EXPECT_TRUE(findings.text().empty()) << findings.text();
}

// The planted defect: a simplification that turns operands around.
TEST(meaning, catches_operands_that_changed_places) {
  Transform turned{"turned", [](Program program) -> Transformed {
                     for (Equation& equation : program.equations) std::ranges::reverse(equation.operands);
                     return {std::move(program), {}, {}};
                   }};
  Builder builder;
  Array x = builder.input(Type(DType::f64, {3})), y = builder.input(Type(DType::f64, {3}));
  Program program = builder.finish({x - y});
  Random random(20);
  Findings findings;
  simplified(program, {turned}, random_values(random, program.types_of(program.inputs), Numbers::any),
             "x - y", findings);
  EXPECT_FALSE(findings.text().empty());
}

}  // namespace
}  // namespace tutti
