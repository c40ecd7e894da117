// expect: op_converted_without_a_rule\.cpp:12
// expect: op: missing rule 'transpose'
// SPDX-License-Identifier: Apache-2.0
// An op without the assertion under it is refused where it becomes an Op.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Batches, Lowers, HasExamples {
  bool operator==(const Shift&) const = default;
};
Op shift() { return Shift{}; }

}  // namespace tutti::rules_of_an_op
