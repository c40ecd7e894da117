// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// Ends a call with an error where an equation makes a NaN from operands without one, or an infinity from
/// finite operands.
/// Results of the equation, then its operands, in any states -> bool [], which nothing reads. Integers and
/// bools are never wrong.
/// Cost: one pass over all operands.
/// Throws when it runs R006, with the element, the devices and the operands.
struct CheckNumbers {
  static constexpr std::string_view name = "check_numbers";
  static constexpr About about{"Ends a call with an error where an equation makes a NaN or an infinity.", ""};
  static constexpr bool has_effect = true;

  std::string of;   // the equation's op: the error's subject
  int results = 1;  // the first operands

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"a check has no cotangent"};
  static constexpr Refused batch{"it is added when a program is compiled, after vmap"};
  static constexpr Refused lower{"it is added by the local machine only"};
  static std::vector<Example> examples();

  bool operator==(const CheckNumbers&) const = default;
};
static_assert(complete<CheckNumbers>());

}  // namespace tutti
