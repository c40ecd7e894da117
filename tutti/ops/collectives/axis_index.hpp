// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Where this device stands along the axes together, row-major in the order given: i32[] V over them.
/// Source: jax.lax.axis_index.
struct AxisIndex {
  static constexpr std::string_view name = "axis_index";
  static constexpr About about{
      "Where this device stands along the axes together, row-major in the order given.", "axis_index"};

  Axes axes;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"axes", to_string(axes)}}; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"axis_index has no operand to differentiate by"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const AxisIndex&) const = default;
};
static_assert(complete<AxisIndex>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.axis_index: this device's position along `axes`, i32, varying.
Array axis_index(const AxisNames& axes);
/// jax.lax.axis_size: the number of positions along `axes`; a C++ number, known when the program is traced.
int axis_size(const AxisNames& axes);

}  // namespace tutti
