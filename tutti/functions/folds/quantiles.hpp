// SPDX-License-Identifier: Apache-2.0
// Quantiles and the median, of sorted elements; programs show the ops.
#pragma once

#include <cstdint>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// The value of a quantile between two elements, as in jax.numpy.quantile.
enum class QuantileMethod : std::uint8_t {
  linear,    // both, weighted by how near they are
  lower,     // the smaller one
  higher,    // the larger one
  midpoint,  // half of their sum
  nearest    // the nearer one; half-way the smaller one
};
/// Options of quantile.
struct QuantileOptions {
  QuantileMethod method = QuantileMethod::linear;
  bool keepdims = false;  // the dims stay, with size 1
};
/// jax.numpy.quantile: the element at q (n - 1) of the n sorted elements along the dims. NaN if one of them
/// is NaN, and for no elements. f32 for integers and bools. The elements that are looked up share the
/// derivative; q has one, too, unless the method takes one of two elements.
/// q is a number from 0 to 1, or an array: [] or [d], of the result's dtype; d is then its first dim. Beyond
/// 0 and 1 an array looks up the first or last element.
/// Cost: a sort. Throws T005 for an array q of another rank, T007 for complex numbers and another dtype
/// of q, T008 for a number out of range, T006, T004.
Array quantile(const Operand& x, const Operand& q, const internal::WhichDims& dims = all_dims,
               const QuantileOptions& options = {});

/// Options of median: keepdims keeps the dims, with size 1.
struct MedianOptions {
  bool keepdims = false;
};
/// quantile(x, 0.5). NaN of no elements.
Array median(const Operand& x, const internal::WhichDims& dims = all_dims, const MedianOptions& options = {});

}  // namespace tutti
