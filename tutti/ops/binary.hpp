// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The functions of two operands of one dtype and shape, element by element; each prints under its own name.
/// x: [..], y: [..] -> [..]. add and sub are linear, mul is bilinear, div in its numerator and 1/denominator.
/// "and", "or" and "xor" take bool and integers, bit by bit; all others take integers and floats, add, sub,
/// mul, div and pow complex numbers, and add, mul, maximum and minimum also bool, as or, and, or, and; atan2
/// only
/// floats, shifts only integers, complex only f32 and f64, the parts of the result. The edges are those of
/// tensor/element_fn.hpp.
/// Source: StableHLO add, subtract, multiply, divide, power, maximum, minimum, remainder, and, or, xor,
/// atan2, shift_left, shift_right_arithmetic, shift_right_logical, complex.
struct Binary {
  BinaryFn fn;

  std::string_view name() const { return ops::name(fn); }
  About about() const;
  Mixing mixing() const;
  Parameters parameters() const { return {}; }  // the name says it
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Binary&) const = default;
};
static_assert(complete<Binary>());

}  // namespace tutti::ops

namespace tutti {

/// Element by element. Shapes broadcast as in NumPy; a number takes the dtype of the other operand.
/// Each function of two operands throws T005 if the shapes do not broadcast, T007 if dtypes differ or the
/// function does not take them, T008 for a number that does not fit, T004 where states do not go together.
Array operator+(const Operand& a, const Operand& b);
Array operator-(const Operand& a, const Operand& b);
Array operator*(const Operand& a, const Operand& b);
Array operator/(const Operand& a, const Operand& b);
/// rem: the sign of a, as % of C++.
Array operator%(const Operand& a, const Operand& b);
/// The same in place: `a` becomes the result.
Array& operator+=(Array& a, const Operand& b);
Array& operator-=(Array& a, const Operand& b);
Array& operator*=(Array& a, const Operand& b);
Array& operator/=(Array& a, const Operand& b);
void operator+=(Array&&, const Operand&) = delete;  // x[0] += 1 changes no array: x = x.at(0).add(1)
void operator-=(Array&&, const Operand&) = delete;  // x[0] -= 1 changes no array: x = x.at(0).add(-1)
void operator*=(Array&&, const Operand&) = delete;  // x[0] *= 2 changes no array: x = x.at(0).multiply(2)
void operator/=(Array&&, const Operand&) = delete;  // x[0] /= 2 changes no array: x = x.at(0).multiply(0.5)
/// The bits of integers, or bools, joined by and, or, xor.
Array operator&(const Operand& a, const Operand& b);
Array operator|(const Operand& a, const Operand& b);
Array operator^(const Operand& a, const Operand& b);
/// d/da = b * pow(a, b - 1), 0 where b = 0; d/db = log(a) * pow(a, b), with log(0) taken as 0.
Array pow(const Operand& a, const Operand& b);
/// The larger operand. NaN if one of them is; -0 < +0. Equal operands share the derivative.
Array maximum(const Operand& a, const Operand& b);
/// The smaller operand. NaN if one of them is; -0 < +0. Equal operands share the derivative.
Array minimum(const Operand& a, const Operand& b);

}  // namespace tutti

namespace tutti::internal {

// For programs that say max and min: those of std take no arrays. (For two arrays these match as well as
// std's.)
template <class A, class B>
concept ArrayBesideNumber = std::same_as<A, Array> != std::same_as<B, Array>;

}  // namespace tutti::internal

namespace tutti {

template <bool never = false>
Array max(const Array&, const Array&) {
  static_assert(never, "max: use maximum(x, y); for the largest element of one array amax(x, dims)");
  return {};
}
template <bool never = false>
Array max(const Array&) {
  static_assert(never,
                "max: for the largest element of one array use amax(x, dims); maximum(x, y) compares two");
  return {};
}
template <class A, class B>
  requires internal::ArrayBesideNumber<A, B>
Array max(const A&, const B&) {
  return max < sizeof(A) == 0 > (Array(), Array());
}
template <bool never = false>
Array min(const Array&, const Array&) {
  static_assert(never, "min: use minimum(x, y); for the smallest element of one array amin(x, dims)");
  return {};
}
template <bool never = false>
Array min(const Array&) {
  static_assert(never,
                "min: for the smallest element of one array use amin(x, dims); minimum(x, y) compares two");
  return {};
}
template <class A, class B>
  requires internal::ArrayBesideNumber<A, B>
Array min(const A&, const B&) {
  return min < sizeof(A) == 0 > (Array(), Array());
}
/// The remainder of a / b, with the sign of a; mod has the sign of b.
Array rem(const Operand& a, const Operand& b);
/// Bools, or the bits of integers, joined by and, or, xor; as a & b, a | b, a ^ b.
Array logical_and(const Operand& a, const Operand& b);
Array logical_or(const Operand& a, const Operand& b);
Array logical_xor(const Operand& a, const Operand& b);
/// The angle of the point (b, a).
Array atan2(const Operand& a, const Operand& b);
/// a shifted by b bits; by the width or more, or by less than 0: 0, or (arithmetic) the sign.
Array shift_left(const Operand& a, const Operand& b);
Array shift_right_arithmetic(const Operand& a, const Operand& b);
Array shift_right_logical(const Operand& a, const Operand& b);
/// real + i imag: complex64 of f32, complex128 of f64.
Array complex(const Operand& real, const Operand& imag);
/// real(x) - i imag(x).
Array conj(const Operand& x);
/// x * x.
Array square(const Operand& x);
/// maximum(x, 0); its derivative at 0 is 0, as in jax.nn.relu.
Array relu(const Operand& x);

}  // namespace tutti
