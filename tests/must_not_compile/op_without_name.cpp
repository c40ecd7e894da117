// expect: op_without_name\.cpp:13
// expect: op: missing 'static constexpr std::string_view name', or 'std::string_view name\(\) const'
// SPDX-License-Identifier: Apache-2.0
// An op without 'name' is refused, under its struct, with the words that say what to write.
#include "tests/must_not_compile/rules_of_an_op.hpp"

namespace tutti::rules_of_an_op {

struct Shift : Mixes, Infers, Computes, Differentiates, Transposes, Batches, Lowers, HasExamples {
  static constexpr About about{"Moves the elements on.", "shift"};
  bool operator==(const Shift&) const = default;
};
static_assert(complete<Shift>());

}  // namespace tutti::rules_of_an_op
