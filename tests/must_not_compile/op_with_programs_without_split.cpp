// expect: op_with_programs_without_split\.cpp:13
// expect: op: missing for its sub-programs: O with_programs\(const std::vector<SubProgram>& programs\) const, or OpSplit split\(const LinearOperands& operands\) const
// SPDX-License-Identifier: Apache-2.0
// An op with sub-programs that does not say how it splits is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Loop : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {
  std::vector<SubProgram> programs() const { return {}; }
  bool operator==(const Loop&) const = default;
};
static_assert(complete<Loop>());

}  // namespace tutti::rules_of_an_op
