// SPDX-License-Identifier: Apache-2.0
// The kernels of each kind of dtype. They are compiled in sources of their own, because each takes seconds.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

/// See fold_kernel(). Lanes of f32 or f64; bool, i32 or i64; and f16 or bf16.
FoldKernel fold_kernel_of_floats(ReduceKind kind, Lanes lanes);
FoldKernel fold_kernel_of_integers(ReduceKind kind, Lanes lanes);
FoldKernel fold_kernel_of_halves(ReduceKind kind, DType dtype);

}  // namespace tutti
