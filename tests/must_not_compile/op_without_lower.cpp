// expect: op_without_lower\.cpp:12
// expect: op: missing rule 'lower'; write Lowered lower\(Emitter& emitter, const Lowered& operands\) const, or say static constexpr Refused lower\{"why"\}
// SPDX-License-Identifier: Apache-2.0
// An op without 'lower' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, HasExamples {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
