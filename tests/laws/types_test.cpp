// SPDX-License-Identifier: Apache-2.0
// Law: after every transform, every type of the program is what the rules infer anew, and inputs and outputs
// have the types that the transform promises. So it is after a second transform.
#include <algorithm>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/laws/transforms.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// Derivatives and batching are refused only by an op that says so of its rule. What is not linear is not
// transposed.
bool may_be_refused(const Example& example, const Transform& transform) {
  if (transform.name == "transpose") return may_refuse_transpose(example);
  return std::ranges::any_of(all_refusable_rules,
                             [&](Rule rule) { return !example.op->refusal(rule).empty(); });
}

struct Attempt {
  const Example& example;
  Findings& findings;

  // The program, checked; none if a rule is refused aloud.
  std::optional<Program> operator()(const Transform& transform, const Program& program,
                                    const std::string& before) {
    try {
      Transformed made = transform.apply(program);
      check(made.program);
      bool promised = made.program.types_of(made.program.inputs) == made.inputs &&
                      made.program.types_of(made.program.outputs) == made.outputs;
      findings.expect(promised, [&] {
        return described(example) + before + ", " + transform.name + ": inputs or outputs of other types\n" +
               to_string(made.program);
      });
      return std::move(made.program);
    } catch (const Error& error) {
      if (error.code() != Code::refused_rule || !may_be_refused(example, transform))
        findings.broken(described(example) + before + ", " + transform.name + ": " + error.what());
      return std::nullopt;
    }
  }
};

void types_after_a_transform(const Example& example, Findings& findings) {
  Attempt attempt{example, findings};
  Program program = program_of(example);
  check(program);
  for (const Transform& transform : transforms_of(example)) attempt(transform, program, "");
}

void types_after_two_transforms(const Example& example, Findings& findings) {
  Attempt attempt{example, findings};
  for (const Transform& first : transforms_of(example)) {
    std::optional<Program> once = attempt(first, program_of(example), "");
    if (!once) continue;
    for (const Transform& second : transforms_of(*once, batchable_axes(example)))
      attempt(second, *once, ", " + first.name);
  }
}

class types : public EveryOp {};
TEST_P(types, are_inferred_again_after_a_transform) { expect_holds(types_after_a_transform); }
TEST_P(types, are_inferred_again_after_two_transforms) {
  Findings findings;
  for (const Example& example : GetParam().examples) types_after_two_transforms(example, findings);
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
}
INSTANTIATE_TEST_SUITE_P(every_op, types, every_op(), op_name);

TEST(types, catch_a_cotangent_of_equal_state) {
  EXPECT_FALSE(holds(types_after_a_transform, planted::GatherTransposedToEqual::examples()));
}

}  // namespace
}  // namespace tutti
