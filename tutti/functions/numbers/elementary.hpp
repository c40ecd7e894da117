// SPDX-License-Identifier: Apache-2.0
// Functions of jax.numpy, element by element, that are made of ops; those of one op are in ops/unary and
// ops/binary.
#pragma once

#include <optional>

#include "tutti/ir/array.hpp"

namespace tutti {

/// Bool: x is NaN, x is inf or -inf; of a complex number if a part is. False for integers and bools.
Array isnan(const Operand& x);
Array isinf(const Operand& x);

/// The replacements of nan_to_num for NaN, inf and -inf. None: the largest and the lowest number of the
/// dtype.
struct NanToNumOptions {
  double nan = 0;
  std::optional<double> posinf = std::nullopt, neginf = std::nullopt;
};
/// x with numbers in the place of NaN and infinities, also in the parts of complex numbers. Integers stay as
/// they are.
Array nan_to_num(const Operand& x, const NanToNumOptions& options = {});

/// The largest whole number that is not above a / b. A quotient of 0 has the sign of a / b, as in NumPy.
/// For integers: (-7, 2) -> -4; (5, 0) -> -2, as in JAX. Throws T007 for bool and complex numbers.
Array floor_divide(const Operand& a, const Operand& b);
/// The remainder of floor_divide, with the sign of b, also if it is 0 (Python's %): (-7, 2) -> 1,
/// (4, -2) -> -0. For integers, 0 where b = 0. `%` and rem have the sign of a. Throws T007 for bool and
/// complex numbers.
Array mod(const Operand& a, const Operand& b);
/// |a| with the sign of b, which may be -0 or NaN. Floats only (T007). b has no tangent.
Array copysign(const Operand& a, const Operand& b);

/// sqrt(a^2 + b^2) without overflow; inf if one of them is infinite. Error: 2 units in the last place. Floats
/// only (T007).
Array hypot(const Operand& a, const Operand& b);
/// log(exp(a) + exp(b)) without overflow. Floats only (T007).
Array logaddexp(const Operand& a, const Operand& b);
/// jax.scipy.special.xlogy: a log(b), and 0 where a is 0 and b is not NaN. The derivative by a is log(b);
/// where a is 0 and log(b) is no finite number, 0. Floats only (T007).
Array xlogy(const Operand& a, const Operand& b);

/// Degrees as radians, and back. Error: 1.5 units in the last place.
Array deg2rad(const Operand& x);
Array rad2deg(const Operand& x);

}  // namespace tutti
