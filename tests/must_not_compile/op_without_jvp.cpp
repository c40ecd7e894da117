// expect: op_without_jvp\.cpp:12
// expect: op: missing rule 'jvp'; write Jvp jvp\(const Arrays& operands, const Tangents& tangents\) const, or say static constexpr Refused jvp\{"why"\}
// SPDX-License-Identifier: Apache-2.0
// An op without 'jvp' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Transposes, Batches, Lowers, HasExamples {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
