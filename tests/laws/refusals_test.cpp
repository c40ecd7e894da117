// SPDX-License-Identifier: Apache-2.0
// Law: every cell of the matrix op x rule has a rule or a reason. A rule that is not there throws T010 with
// that reason, with the op's name and at the line of the user; one that is there does not. What is not linear
// refuses to be transposed.
#include <algorithm>
#include <functional>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/laws/transforms.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lower/function_emitter.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

const Axis lane_axis = fresh_axis("lane", 3);

// A border is replaced by moves before it is lowered: who forgets that shall read why.
void lower(const Example& example, const Program& program) {
  if (example.op->refusal(Rule::lower).empty()) lower_per_device(program, example_mesh());
  else FunctionEmitter(example_mesh()).lower(program.equations[0], {}, {}, {});
}

// Calls the rule as users do, through its transform. False: the example has nothing that the rule could be
// called for.
bool call(Rule rule, const Example& example) {
  Program program = program_of(example);
  Bits floats = float_inputs(program);
  bool any = std::ranges::count(floats, true) > 0;
  switch (rule) {
    case Rule::jvp: return any && (jvp(program, floats), true);
    case Rule::transpose: return any && (transpose(program, floats), true);
    case Rule::batch: return batch(program, lane_axis), true;
    case Rule::lower: return lower(example, program), true;
  }
  return false;
}

// The text of a refusal up to its reason: "example.cpp:7: argmax: jvp is refused: ".
std::string beginning(Rule rule, const Example& example) {
  const Program program = program_of(example);
  return to_string(place_of_example) + ": " + std::string(program.equations.back().op->name()) + ": " +
         std::string(name(rule)) + " is refused: ";
}

void judge(Rule rule, const Example& example, const Error& error, Findings& findings) {
  std::string reason(example.op->refusal(rule)), text = error.what(), start = beginning(rule, example);
  bool not_linear = rule == Rule::transpose && reason.empty() && may_refuse_transpose(example);
  // The equations inside of an op have places of their own.
  if (not_linear && !example.op->programs().empty())
    start = text.substr(0, text.find("transpose is refused: "));
  bool right = not_linear ? text.starts_with(start) && text.size() > start.size() : text == start + reason;
  findings.expect(error.code() == Code::refused_rule && right && (not_linear || !reason.empty()),
                  [&] { return described(example) + ", " + std::string(name(rule)) + ": " + text; });
}

void each_rule_is_there_or_says_why(const Example& example, Findings& findings) {
  for (Rule rule : all_refusable_rules) try {
      if (call(rule, example))
        findings.expect(example.op->refusal(rule).empty(), [&] {
          return described(example) + ": has the rule " + std::string(name(rule)) + " and refuses it";
        });
    } catch (const Error& error) {
      judge(rule, example, error, findings);
    }
}

class refusals : public EveryOp {};
TEST_P(refusals, say_why_at_the_users_line) { expect_holds(each_rule_is_there_or_says_why); }
INSTANTIATE_TEST_SUITE_P(every_op, refusals, every_op(), op_name);

TEST(refusals, catch_one_that_is_not_in_the_matrix) {
  EXPECT_FALSE(holds(each_rule_is_there_or_says_why, planted::RefusedInSecret::examples()));
}

}  // namespace
}  // namespace tutti
