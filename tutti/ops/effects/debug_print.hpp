// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/effects/message.hpp"

namespace tutti::ops {

/// Writes a line with the values of its operands while a program runs.
/// x, ..: [lanes.., ..] in any states -> bool [lanes..], which nothing reads.
/// One line per distinct value and lane: devices that hold the same values write one line together.
/// Cost: one pass over the operands on the worker that writes. Values are stored, not only computed in a
/// fused loop.
/// Source: jax.debug.print.
struct DebugPrint {
  static constexpr std::string_view name = "debug_print";
  static constexpr About about{"Writes a line with values while a program runs.", "debug_print"};
  static constexpr bool has_effect = true;

  std::string text;  // see MessageText
  Lanes lanes = {};

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"a line has no cotangent"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  static constexpr Refused lower{
      "lines are written on the local machine and on XLA's CPUs only; leave it out for other machines"};
  static std::vector<Example> examples();

  bool operator==(const DebugPrint&) const = default;
};
static_assert(complete<DebugPrint>());

}  // namespace tutti::ops

namespace tutti::internal {

void debug_print_values(const MessageText& text, const std::vector<Operand>& values);

}  // namespace tutti::internal

namespace tutti {

/// Writes a line each time the program comes here: debug_print("loss {} at {}", x, axis_index("data")).
/// Devices that hold the same values write one line together; lanes of vmap write one each. The lines of a
/// call are out when it ends, also if it fails, in order of the program: by iteration, equation, device. The
/// option `print` of the machine takes them, else they go to the standard output. Derivatives write no
/// further lines, and what is computed again writes none.
/// Throws T015 for a text that does not fit the values; when batched T010 in a branch or loop that lanes
/// choose; T010 on machines other than the local one and XLA's CPUs.
template <class... Values>
void debug_print(const MessageText& text, const Values&... values) {
  internal::debug_print_values(text, std::vector<Operand>{Operand(values)...});
}

}  // namespace tutti
