// SPDX-License-Identifier: Apache-2.0
// Chooses the kernels of folds over positions.
#include "tutti/tensor/loops/folds/fold_kernels.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"

namespace tutti {

FoldKernel fold_kernel(ReduceKind kind, DType dtype) {
  if (const auto lanes = lanes_of_fold(kind, dtype)) {
    const bool is_float = *lanes == Lanes::f32 || *lanes == Lanes::f64;
    return is_float ? fold_kernel_of_floats(kind, *lanes) : fold_kernel_of_integers(kind, *lanes);
  }
  return is_half(dtype) ? fold_kernel_of_halves(kind, dtype) : scalar_fold_kernel(kind, dtype);
}

}  // namespace tutti
