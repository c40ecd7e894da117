// expect: op_without_transpose\.cpp:12
// expect: op: missing rule 'transpose'; write Tangents transpose\(const LinearOperands& operands, const Tangents& cotangents\) const, or say static constexpr Refused transpose\{"why"\}
// SPDX-License-Identifier: Apache-2.0
// An op without 'transpose' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Batches, Lowers, HasExamples {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
