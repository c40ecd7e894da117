// expect: op_with_a_wrong_signature\.cpp:13
// expect: op: missing rule 'jvp'; write Jvp jvp\(const Arrays& operands, const Tangents& tangents\) const
// SPDX-License-Identifier: Apache-2.0
// A rule with another signature is refused like a missing one: the words say which is wanted.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Transposes, Batches, Lowers, HasExamples {
  Tangents jvp(const Tangents& tangents) const { return tangents; }
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
