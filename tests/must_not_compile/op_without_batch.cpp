// expect: op_without_batch\.cpp:12
// expect: op: missing rule 'batch'; write BatchedArrays batch\(const Axis& axis, const BatchedArrays& operands, const Types& types\) const, or say static constexpr Refused batch\{"why"\}
// SPDX-License-Identifier: Apache-2.0
// An op without 'batch' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Lowers, HasExamples {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
