// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// An operand of an example: any value of this type with elements in [low, high]; whole numbers for integers,
/// {0, 1} for bool. Or values that fit each other: one for each position along some axes.
struct ExampleOperand {
  /// Values that fit each other, such as sizes and offsets.
  struct Given {
    Axes along;                        // none: all devices hold the one value
    std::vector<Tensor> at_positions;  // row-major along the axes
  };

  ExampleOperand(Type operand_type, double from = -2, double to = 2)
      : type(operand_type), low(from), high(to) {}
  /// Varying along the axes of the values.
  explicit ExampleOperand(Given values);
  /// True if devices along `axis` hold values of their own, which must stay as they are.
  bool is_given_along(const Axis& axis) const;

  Type type;
  double low = 0, high = 0;
  std::optional<Given> given;
};

/// An op with parameters and operands that it accepts. The laws and the oracle tests run them.
struct Example {
  Op op;
  std::vector<ExampleOperand> operands;
};

/// The mesh that examples are on: a=2, b=2, c=2.
const Mesh& example_mesh();
/// The dtypes other than bool, i32, i64, f32 and f64. One example of each suffices: shapes and states are
/// tried with those five.
std::span<const DType> more_dtypes();
/// The 15 ways to name one or more of its axes in order: (a), (b), (c), (a, b), (b, a), ...
const std::vector<Axes>& example_axis_tuples();

}  // namespace tutti::ops
