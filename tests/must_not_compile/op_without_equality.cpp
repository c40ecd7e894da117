// expect: op_without_equality\.cpp:10
// expect: op: missing 'bool operator==\(const O&\) const = default'
// SPDX-License-Identifier: Apache-2.0
// An op that cannot be compared is refused: common subexpressions are found by comparing ops.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
