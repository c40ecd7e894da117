// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/effects/message.hpp"

namespace tutti::ops {

/// Ends a call with an error if an element of the predicate is false.
/// predicate: bool [lanes.., ..], x, ..: [lanes.., ..] in any states -> bool [lanes..], which nothing reads.
/// Cost: one pass over the predicate. The other operands are stored, not only computed in a fused loop.
/// Throws when it runs R006, with the values, the devices and the lane.
/// Source: jax.experimental.checkify.check.
struct Check {
  static constexpr std::string_view name = "check";
  static constexpr About about{"Ends a call with an error if an element of the predicate is false.", "check"};
  static constexpr bool has_effect = true;

  std::string text;  // see MessageText
  Lanes lanes = {};

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"a check has no cotangent"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  static constexpr Refused lower{
      "checks run on the local machine and on XLA's CPUs only; leave it out for other machines"};
  static std::vector<Example> examples();

  bool operator==(const Check&) const = default;
};
static_assert(complete<Check>());

}  // namespace tutti::ops

namespace tutti::internal {

void check_values(const Operand& predicate, const std::string& text, const std::vector<Operand>& values);

}  // namespace tutti::internal

namespace tutti {

/// Ends the call with an error where an element of `predicate` is false: check(loss < 10, "loss is {}",
/// loss). The error names the line, the values and the devices.
/// Throws T007 for a predicate that is not bool, T015 for a text that does not fit the values; when batched
/// T010 in a branch or loop that lanes choose; T010 on machines other than the local one and XLA's CPUs; when
/// it runs R006. XLA runs a program to its end before the error is thrown.
template <class... Values>
void check(const Operand& predicate, const std::string& text, const Values&... values) {
  internal::check_values(predicate, text, std::vector<Operand>{Operand(values)...});
}

}  // namespace tutti
