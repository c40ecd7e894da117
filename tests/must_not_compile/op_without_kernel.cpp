// expect: op_without_kernel\.cpp:12
// expect: op: missing rule 'kernel': Kernel kernel\(const Layout& layout\) const
// SPDX-License-Identifier: Apache-2.0
// An op without 'kernel' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Differentiates, Transposes, Batches, Lowers, HasExamples {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
