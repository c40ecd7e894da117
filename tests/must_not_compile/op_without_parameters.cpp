// expect: op_without_parameters\.cpp:14
// expect: op: missing 'Parameters parameters\(\) const': its fields by name, for printing
// SPDX-License-Identifier: Apache-2.0
// An op with fields says how they print.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {
  int by = 1;
  bool operator==(const Shift&) const = default;
};

static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
