// expect: op_without_about\.cpp:13
// expect: op: missing 'static constexpr About about\{"what it does", "functions that record it"\}', or
// SPDX-License-Identifier: Apache-2.0
// An op that does not say what it is for is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {
  static constexpr std::string_view name = "shift";
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
