// SPDX-License-Identifier: Apache-2.0
// Reductions by their NumPy names; programs show the ops. `all` is in ir/index.hpp.
#pragma once

#include <optional>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// Options of sum and prod.
struct ReductionOptions {
  bool keepdims = false;            // the dims stay, with size 1
  std::optional<DType> dtype = {};  // of the elements before they are folded
  std::optional<Array> where = {};  // bool; the others do not count. It broadcasts to x
};
/// numpy.sum and numpy.prod, in the dtype of x; of bool in i32. (NumPy widens small integers: ask for it by
/// dtype.) f16 and bf16 are folded in f32 and rounded once. 0 and 1 for no elements.
/// Throws T006 for a dim out of range or named twice, T005 if `where` does not broadcast to x, T007 unless it
/// is bool, T004 for the product of an unreduced sum.
Array sum(const Operand& x, const internal::WhichDims& dims = all_dims, const ReductionOptions& options = {});
Array prod(const Operand& x, const internal::WhichDims& dims = all_dims,
           const ReductionOptions& options = {});

/// Options of amax, amin, ptp, any, count_nonzero and nansum: keepdims keeps the dims, with size 1.
struct ExtremeOptions {
  bool keepdims = false;
};
/// The largest and the smallest element: numpy.max and min, whose names C++ has. NaN propagates, -0 < +0;
/// equal elements share the derivative. Throws T005 over a dim without elements, T006, T007 for complex
/// numbers, T004.
Array amax(const Operand& x, const internal::WhichDims& dims = all_dims, const ExtremeOptions& options = {});
Array amin(const Operand& x, const internal::WhichDims& dims = all_dims, const ExtremeOptions& options = {});
/// numpy.ptp: amax - amin.
Array ptp(const Operand& x, const internal::WhichDims& dims = all_dims, const ExtremeOptions& options = {});
/// Bool: is an element not 0? NaN is not 0. False of none.
Array any(const Operand& x, const internal::WhichDims& dims = all_dims, const ExtremeOptions& options = {});
/// How many elements are not 0, in i32. Throws T007 for more than 2^31 - 1 elements.
Array count_nonzero(const Operand& x, const internal::WhichDims& dims = all_dims,
                    const ExtremeOptions& options = {});
/// The sum of the elements that are not NaN.
Array nansum(const Operand& x, const internal::WhichDims& dims = all_dims,
             const ExtremeOptions& options = {});

/// Options of norm and matrix_norm.
struct NormOptions {
  std::optional<double> ord = {};  // none: the root of the sum of squares
  bool keepdims = false;
};
/// jax.numpy.linalg.norm: over one dim the norm of vectors, with ord 0 (how many are not 0), 1, 2, any p,
/// infinity or -infinity; without ord the Frobenius norm over any dims. Of integers and bools f32, of complex
/// numbers real.
/// Throws T010 for an order over several dims, which matrix_norm has; T005, T006, T004.
Array norm(const Operand& x, const internal::WhichDims& dims = all_dims, const NormOptions& options = {});
/// jax.numpy.linalg.matrix_norm: of the matrices in the last two dims. Without ord the Frobenius norm; ord 1
/// and -1: the largest and the smallest sum of sizes of a column; infinity and -infinity: of a row.
/// x: [.., m, n] -> [..]. Of integers and bools f32, of complex numbers real. Throws T010 for other orders (2
/// and -2 need singular values), T008 for NaN, T006 for fewer dims than 2, T005 where the extreme would be of
/// nothing, T004.
Array matrix_norm(const Operand& x, const NormOptions& options = {});

}  // namespace tutti
