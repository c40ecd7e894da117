// SPDX-License-Identifier: Apache-2.0
// Means and what is made of them; programs show the ops.
#pragma once

#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// The sum over the number of elements; of integers and bools f32. NaN of none.
Array mean(const Operand& x, const WhichDims& dims = all_dims);
/// The mean of square(x - mean(x)), as numpy.var: divided by the number of elements.
Array variance(const Operand& x, const WhichDims& dims = all_dims);
/// jax.nn.standardize: x minus its mean, over the root of its variance + epsilon; of integers and bools f32.
/// Throws T007 for complex numbers.
Array standardize(const Operand& x, const WhichDims& dims = -1, double epsilon = 1e-5);

}  // namespace tutti
