// SPDX-License-Identifier: Apache-2.0
// The kernels of each dtype. They are compiled in sources of their own, because each takes seconds.
#pragma once

#include <span>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/fold_chains.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

/// See chain_kernel(). The steps put nothing aside.
ChainKernel chain_kernel_of_f32(std::span<const ChainStep> steps);
ChainKernel chain_kernel_of_f64(std::span<const ChainStep> steps);
ChainKernel chain_kernel_of_halves(DType dtype);
ChainByRowsKernel chain_by_rows_kernel_of_f32();
ChainByRowsKernel chain_by_rows_kernel_of_f64();
/// See fold_chain_kernel().
FoldChainKernel fold_chain_kernel_of_f32(int results);
FoldChainKernel fold_chain_kernel_of_f64(int results);
/// See reduce_chain_rows_kernel() and reduce_chain_pieces_kernel().
ReduceChainRowsKernel reduce_chain_rows_kernel_of_f32(ReduceKind kind);
ReduceChainRowsKernel reduce_chain_rows_kernel_of_f64(ReduceKind kind);
ReduceChainRowsKernel reduce_chain_pieces_kernel_of_f32(ReduceKind kind);
ReduceChainRowsKernel reduce_chain_pieces_kernel_of_f64(ReduceKind kind);

}  // namespace tutti
