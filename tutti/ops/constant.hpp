// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// Constants compare by their bits: 0 and -0 differ, a NaN equals itself.
/// () -> the shape of `value`, invariant.
/// Source: StableHLO constant.
struct Constant {
  static constexpr std::string_view name = "constant";
  static constexpr About about{"Data that stands in the program.",
                               "constant, full, zeros, ones, zeros_like, ones_like"};

  Tensor value;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"a constant depends on nothing that one could differentiate by"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Constant&) const = default;
};
static_assert(complete<Constant>());

}  // namespace tutti::ops

namespace tutti {

/// `value` as part of the program.
Array constant(const Tensor& value, Where where = Where::here());
/// A scalar of the C++ type.
template <class T>
  requires is_element<T>
Array constant(T value, Where where = Where::here()) {
  return constant(Tensor::scalar(value), where);
}

// Outside of a trace these make finished data, whole on the host.

/// `value` in every element: a scalar constant and broadcast_in_dim.
/// Throws T005 for a shape that no array has, T008 if `dtype` cannot hold the value.
Array full(const Shape& shape, const Number& value, DType dtype, Where where = Where::here());
/// 0 in every element. Throws T005 for a shape that no array has.
Array zeros(const Shape& shape, DType dtype, Where where = Where::here());
/// 1 in every element; in bool, true. Throws T005 for a shape that no array has.
Array ones(const Shape& shape, DType dtype, Where where = Where::here());
/// Zeros, or ones, of the dtype and shape of `x`; equal on all devices, whatever the states of `x`.
Array zeros_like(const Operand& x);
Array ones_like(const Operand& x);

}  // namespace tutti

namespace tutti::ops {

/// `value` as a scalar of `dtype`, rounded once; small ones become 0, infinity stays. Throws T008 for a
/// floating-point number that shall be an integer, an integer out of range, a finite number that would become
/// infinite, and where only one of the two is bool.
Tensor as_scalar(const Number& value, DType dtype);

}  // namespace tutti::ops
