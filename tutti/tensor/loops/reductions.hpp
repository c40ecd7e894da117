// SPDX-License-Identifier: Apache-2.0
// Folds of rows, of columns, and of the same element at several positions. The bits of a result depend only
// on shapes and values: not on the calling thread, not on the split over workers, not on alignment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

// A sum of n floats differs from the exact sum by at most 2 ceil(log2 n) eps sum|x|, where eps is half the
// distance from 1 to the next number. f16 and bf16 are summed in f32 and rounded once. A sum of bools is
// `or`, a product `and`. Products are bounded by 2 n eps |product|. Complex numbers have sums, part by part,
// and products of rows and columns. Kernels for `and` and `or` of floats are null. Sums of rows and columns
// start from
// +0, so that -0 + -0 = +0.

/// Folds each row: out[r] = fold of in[r][0 .. columns). Rows lie row_bytes apart. The tree depends only on
/// `columns`: 16 virtual lanes, and blocks that are folded pairwise. An empty row gives the neutral element.
using ReduceRowsKernel = void (*)(std::byte* out, const std::byte* in, std::int64_t rows,
                                  std::int64_t columns, std::int64_t row_bytes);
ReduceRowsKernel reduce_rows_kernel(ReduceKind kind, DType dtype);

/// Runs a chain on each row and folds its result, in the tree of ReduceRowsKernel. From row to row operand s
/// advances by row_bytes[s]; an operand that repeats has one element per row. Null unless kind is sum, prod,
/// max or min and dtype is f32 or f64.
using ReduceChainRowsKernel = void (*)(std::byte* out, const std::byte* const* in,
                                       const std::int64_t* row_bytes, const ChainStep* steps, int count,
                                       std::int64_t rows, std::int64_t columns);
ReduceChainRowsKernel reduce_chain_rows_kernel(ReduceKind kind, DType dtype);

/// Long rows are folded in pieces, so that several workers can share a row. A piece has a power of two of
/// elements, at least `shortest_piece`, so that pieces are subtrees of the row's tree; the last one may be
/// shorter.
/// Writes the 16 virtual lanes of each piece to out[r][0 .. 16). ReduceColumnsKernel over all pieces of a
/// row, and then ReduceRowsKernel over the 16 lanes, give the bits of ReduceRowsKernel over the whole row.
/// Null for f16, bf16, bool, complex numbers, and integers without vector kernels.
inline constexpr std::int64_t lanes_of_piece = 16;
inline constexpr std::int64_t shortest_piece = 1024;
ReduceRowsKernel reduce_pieces_kernel(ReduceKind kind, DType dtype);
/// Like ReduceChainRowsKernel, for pieces.
ReduceChainRowsKernel reduce_chain_pieces_kernel(ReduceKind kind, DType dtype);

/// Sums of pieces whose elements are converted from `from` to `to` on the way; the bits are those of the
/// conversion and reduce_pieces_kernel. Null unless it converts u8, i8, u16 or i16 to i32 or i64, i32 to i64,
/// or f16 or bf16 to f32.
ReduceRowsKernel reduce_converted_pieces_kernel(DType from, DType to);

/// Folds each column: out[c] = fold of in[0 .. rows)[c] for c < columns. Rows lie row_bytes apart. The tree
/// depends only on `rows`: blocks of rows are folded pairwise. Callers may split the columns among
/// themselves. `scratch` has reduce_columns_scratch_bytes bytes.
using ReduceColumnsKernel = void (*)(std::byte* out, const std::byte* in, std::int64_t rows,
                                     std::int64_t columns, std::int64_t row_bytes, std::byte* scratch);
ReduceColumnsKernel reduce_columns_kernel(ReduceKind kind, DType dtype);
std::size_t reduce_columns_scratch_bytes(std::int64_t rows, std::int64_t columns, DType dtype);

/// Folds over positions: out[i] = fold of in[0][i] .. in[count-1][i], pairwise: ((0 1)(2 3))((4 5)(6 7)).
/// `out` may be one of the operands.
using FoldKernel = void (*)(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
                            Store store);
FoldKernel fold_kernel(ReduceKind kind, DType dtype);

/// Writes the element that a fold starts from, in bytes_per_element(dtype) bytes. sum and or: 0. max: -inf or
/// the smallest value. min: +inf or the largest value. and: all ones, for bool 1. prod: 1. Complex numbers
/// have sum and prod.
void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out);

}  // namespace tutti
