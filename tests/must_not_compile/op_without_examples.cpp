// expect: op_without_examples\.cpp:12
// expect: op: missing 'static std::vector<Example> examples\(\)', for the laws
// SPDX-License-Identifier: Apache-2.0
// An op without 'examples' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Named, Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers {
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
