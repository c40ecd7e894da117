// SPDX-License-Identifier: Apache-2.0
// Laws of every op.
#include "tutti/control/all_ops.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/print.hpp"

namespace tutti {
namespace {

// Bool and integers have no tangent: there is nothing to refuse, and grad goes past them.
TEST(ops, whose_results_are_bool_or_integers_do_not_refuse_derivatives) {
  int seen = 0;
  for (const OpRow& row : all_ops())
    for (const Example& example : row.examples) {
      Types operands;
      for (const ExampleOperand& operand : example.operands) operands.push_back(operand.type);
      if (std::ranges::any_of(example.op->infer(operands),
                              [](Type type) { return type.in_flight() || tangent(type); }))
        continue;
      ++seen;
      EXPECT_EQ(example.op->refusal(Rule::jvp), "") << row.name;
    }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace tutti
