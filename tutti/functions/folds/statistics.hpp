// SPDX-License-Identifier: Apache-2.0
// Means and what is made of them; programs show the ops.
#pragma once

#include <optional>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// Options of mean and nanmean.
struct MeanOptions {
  bool keepdims = false;  // the dims stay, with size 1
};
/// The sum over the number of elements; of integers and bools f32. NaN of none.
Array mean(const Operand& x, const internal::WhichDims& dims = all_dims, const MeanOptions& options = {});
/// The mean of the elements that are not NaN; NaN where all are.
Array nanmean(const Operand& x, const internal::WhichDims& dims = all_dims, const MeanOptions& options = {});

/// Options of average.
struct AverageOptions {
  std::optional<Array> weights = {};  // of the shape of x, or of the one dim that is folded; none: 1 each
  bool keepdims = false;
};
/// numpy.average: sum(x * weights) / sum(weights). Throws T005 for weights of another shape, T007 of another
/// dtype.
Array average(const Operand& x, const internal::WhichDims& dims = all_dims,
              const AverageOptions& options = {});

/// Options of variance and stddev.
struct VarianceOptions {
  double ddof =
      0;  // the sum of squares is divided by the number of elements - ddof, by 0 where that is negative
  bool keepdims = false;
};
/// numpy.var: the mean of square(x - mean(x)). For complex numbers, the variance of both parts together.
Array variance(const Operand& x, const internal::WhichDims& dims = all_dims,
               const VarianceOptions& options = {});
/// numpy.std, whose name C++ has: sqrt(variance(x)).
Array stddev(const Operand& x, const internal::WhichDims& dims = all_dims,
             const VarianceOptions& options = {});
/// jax.nn.standardize: x minus its mean, over the root of its variance + epsilon; of integers and bools f32.
/// Throws T007 for complex numbers.
Array standardize(const Operand& x, const internal::WhichDims& dims = -1, double epsilon = 1e-5);

}  // namespace tutti
