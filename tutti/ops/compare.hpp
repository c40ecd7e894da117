// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Compares two operands of one dtype and shape, element by element; printed as eq, ne, lt, le, gt or ge.
/// x: [..], y: [..] -> bool [..]. With a NaN every comparison is false but ne; 0 equals -0; false < true.
/// Source: StableHLO compare.
struct Compare {
  CompareDirection direction;

  std::string_view name() const { return ops::name(direction); }
  About about() const;
  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const { return {}; }  // the name says it
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"the result of a comparison is bool, which has no cotangent"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Compare&) const = default;
};
static_assert(complete<Compare>());

}  // namespace tutti::ops

namespace tutti {

/// Bool, element by element. Shapes broadcast as in NumPy; a number takes the dtype of the other operand.
/// Each throws T005 if the shapes do not broadcast, T007 if dtypes differ, T008 for a number that does not
/// fit, T004 for an unreduced sum.
Array operator<(const Operand& a, const Operand& b);
Array operator<=(const Operand& a, const Operand& b);
Array operator>(const Operand& a, const Operand& b);
Array operator>=(const Operand& a, const Operand& b);
/// a == b and a != b, element by element, as bool. They are functions, not operators: code such as std::find
/// expects == to return one bool. Shapes, dtypes and errors are those of operator<.
Array equal(const Operand& a, const Operand& b);
Array not_equal(const Operand& a, const Operand& b);

}  // namespace tutti
