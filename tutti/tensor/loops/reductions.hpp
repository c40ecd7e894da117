// SPDX-License-Identifier: Apache-2.0
// Folds of rows, of columns, and of the same element at several positions. Bits depend on shapes and values only, never on who calls, how work is split over workers, or alignment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

// Sums of n floats by rows, columns or positions are within 2 ceil(log2 n) eps sum|x| of the exact one, eps
// = half the distance from 1 to the next number; of bools they are or; of f16 and bf16
// summed in f32 and rounded once; of complex numbers part by part, and nothing but sums. Kernels of `and` and `or` of
// floats are null. Rows and columns start from +0, so that -0 + -0 = +0.

/// out[r] = the fold of in[r][0 .. columns), rows `row_bytes` apart: 16 virtual lanes and pairwise blocks, a
/// tree fixed by `columns`. An empty row gives the neutral element.
using ReduceRowsKernel = void (*)(std::byte* out, const std::byte* in, std::int64_t rows,
                                  std::int64_t columns, std::int64_t row_bytes);
ReduceRowsKernel reduce_rows_kernel(ReduceKind kind, DType dtype);

/// The fold of what a chain makes of each row, in the same tree. Operand s of the next row begins row_bytes[s] bytes
/// on; one that repeats has an element per row then. Null but for sum, max, min of f32 and f64.
using ReduceChainRowsKernel = void (*)(std::byte* out, const std::byte* const* in,
                                       const std::int64_t* row_bytes, const ChainStep* steps, int count,
                                       std::int64_t rows, std::int64_t columns);
ReduceChainRowsKernel reduce_chain_rows_kernel(ReduceKind kind, DType dtype);

/// out[c] = the fold of in[0 .. rows)[c], rows `row_bytes` apart, for c < columns: pairwise over blocks of
/// rows, a tree fixed by `rows`. The columns may be split among callers. `scratch` holds
/// reduce_columns_scratch_bytes.
using ReduceColumnsKernel = void (*)(std::byte* out, const std::byte* in, std::int64_t rows,
                                     std::int64_t columns, std::int64_t row_bytes, std::byte* scratch);
ReduceColumnsKernel reduce_columns_kernel(ReduceKind kind, DType dtype);
std::size_t reduce_columns_scratch_bytes(std::int64_t rows, std::int64_t columns, DType dtype);

/// out[i] = the fold of in[0][i] .. in[count-1][i], pairwise over positions: ((0 1)(2 3))((4 5)(6 7)). `out`
/// may be one of the operands.
using FoldKernel = void (*)(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
                            Store store);
FoldKernel fold_kernel(ReduceKind kind, DType dtype);

/// The element that a fold starts from: 0, -inf or the smallest value, +inf or the largest, for `and` all ones; as many
/// bytes as an element has. Complex numbers have only that of the sum.
void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out);

}  // namespace tutti
