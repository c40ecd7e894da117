// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/op.hpp>

namespace rod {
using namespace tutti;
using namespace tutti::ops;

/// x[i-1] - 2 x[i] + x[i+1] along a dim; zeros stand outside.
/// x: [.., n, ..] of f32 or f64 -> the same; every state passes.
struct SecondDifference {
  static constexpr std::string_view name = "second_difference";
  static constexpr About about{"x[i-1] - 2 x[i] + x[i+1] along a dim; zeros stand outside.",
                               "second_difference"};

  Dim dim;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const SecondDifference&) const = default;
};
static_assert(complete<SecondDifference>());

/// A negative `dim` counts from the end. Throws T006 for a dim out of range, T007 for other dtypes.
Array second_difference(const Operand& x, int dim = -1);

}  // namespace rod
