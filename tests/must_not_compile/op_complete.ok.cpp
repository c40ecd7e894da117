// SPDX-License-Identifier: Apache-2.0
// Control of the cases op_without_*.cpp: an op with all rules, also where it becomes an Op.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());
Op shift() { return Shift{}; }

}  // namespace tutti::rules_of_an_op
