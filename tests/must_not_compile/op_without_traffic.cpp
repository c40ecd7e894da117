// expect: op_without_traffic\.cpp:13
// expect: op: missing rule 'traffic', as it communicates; write Traffic traffic\(const Types& operands\) const
// SPDX-License-Identifier: Apache-2.0
// An op that communicates without 'traffic' is refused, under its struct; the words say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {
  Axes communicates() const { return {}; }
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
