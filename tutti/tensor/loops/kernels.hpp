// SPDX-License-Identifier: Apache-2.0
// The inner loops over host memory. Bits depend on shapes and values only, never on who calls, how work is
// split over workers, or alignment. Elements of bool arrays are bytes 0 or 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {

/// How a kernel reads an operand: element i, or the first element for every i.
enum class Stride : std::uint8_t { dense, scalar };
/// How a fold reads its operands. Ahead: their next lines are fetched meanwhile, as far as it can, which pays where no
/// cache has them.
enum class Load : std::uint8_t { plain, ahead };
/// How a fold or a chain writes its result. Streaming: past the caches, as far as it can, if that begins on a line of
/// 64 bytes; stream.hpp says what to do after the last.
enum class Store : std::uint8_t { plain, streaming };

/// out[i] = fn(in[0][i], in[1][i], ..) for i < n. `out` may be equal to a dense operand of the same element
/// size.
using ElementwiseKernel = void (*)(std::byte* out, const std::byte* const* in, std::int64_t n);

/// Throws T007 where fn is not defined for dtype (tanh of i32, and of f32).
/// Errors in units in the last place, f32 and f64, everywhere: exp 1.1, log 1, tanh 3.1, logistic 2.5, sqrt
/// 0.5 (rounded once), rsqrt = 1 / sqrt 1.5, sin and cos 3, log1p 2.6, expm1 4, erf 1 (tests/tensor/math_test.cpp).
ElementwiseKernel unary_kernel(UnaryFn fn, DType dtype);
/// Where both operands of a sum, difference, product or quotient of f32 or f64 are NaN the first comes out (x86). Of
/// bools: add, maximum are or; mul, minimum and.
ElementwiseKernel binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b);
ElementwiseKernel compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b);
/// in[0]: bool, in[1], in[2]: dtype.
ElementwiseKernel select_kernel(DType dtype, Stride predicate, Stride on_true, Stride on_false);
/// out[i] = limit where in[0][i] stands so to it, else in[2][i], with limit = in[1][0]: relu and its derivative. The
/// same bits as compare_kernel and then select_kernel. Null but for lt, le, gt and ge of f32 and f64.
ElementwiseKernel gate_kernel(CompareDirection direction, DType dtype);
/// minimum(maximum(in[0], in[1]), in[2]): in[1] kept between in[0] and in[2].
ElementwiseKernel clamp_kernel(DType dtype, Stride low, Stride x, Stride high);
ElementwiseKernel convert_kernel(DType from, DType to);

/// A step of a chain: x becomes fn of itself and y, which is an element of an operand, or the first for every i.
struct ChainStep {
  /// take: y; add_to: y + x, and so on; square: x * x, whatever y is; limit_if_*: y where x stands so to it, a gate
  /// with x itself.
  enum class Fn : std::uint8_t {
    take,
    add,
    add_to,
    sub,
    sub_from,
    mul,
    mul_into,
    div,
    div_into,
    maximum,
    minimum,
    square,
    limit_if_lt,
    limit_if_le,
    limit_if_gt,
    limit_if_ge
  } fn = Fn::take;
  bool repeats = false;
};
constexpr std::size_t most_chain_steps = 8;
/// out[i] = x after `count` steps, of which the first takes in[0][i] and step s reads in[s][i]: the same bits as kernel
/// after kernel. `out` may be equal to an operand that does not repeat.
using ChainKernel = void (*)(std::byte* out, const std::byte* const* in, const ChainStep* steps, int count,
                             std::int64_t n, Store store);
/// One for chains of these steps only, or of any without them. Null but for floats; f16 and bf16 are rounded after each
/// step.
ChainKernel chain_kernel(DType dtype, std::span<const ChainStep> steps = {});
/// The step that a function of x and another operand is; none if there is none.
std::optional<ChainStep::Fn> chain_fn(BinaryFn fn, bool x_is_right);
/// The step that a gate is whose `otherwise` is x itself.
std::optional<ChainStep::Fn> chain_fn(CompareDirection gate);

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

/// What is made of a sum over positions: out[r][i] = x for every result r, after steps that begin from nothing. A step
/// reads the sum of the terms at i, one element for all i and r, or an element that each result has at i.
struct FoldStep {
  enum class Of : std::uint8_t { fold, one, each } of;
  ChainStep::Fn fn;  // take: of the first
};
/// `in`: an element for each of `on_fold`, with which the sum goes on before a step reads it; then what `steps` read:
/// nothing for the fold, one pointer for one, a pointer per result for each.
struct FoldChain {
  const ChainStep::Fn* on_fold;
  int on_folds;
  const FoldStep* steps;
  int count, results, terms;
};
/// The same bits as the fold, its steps and a chain for each result, but in one pass. n: a multiple of
/// fold_chain_elements. Any result may be equal to any term or operand of `each`, if it is read at the same i only.
using FoldChainKernel = void (*)(const FoldChain& chain, std::byte* const* out, const std::byte* const* terms,
                                 const std::byte* const* in, std::int64_t n, Load load, Store store);
constexpr std::int64_t fold_chain_elements = 256;  // of a result at once, where registers are most and widest
/// Null but for f32 and f64, and 1, 2, 4 or 8 results.
FoldChainKernel fold_chain_kernel(DType dtype, int results);

/// The element that a fold starts from: 0, -inf or the smallest value, +inf or the largest, for `and` all ones; as many
/// bytes as an element has. Complex numbers have only that of the sum.
void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out);

/// A strided copy: loops over `sizes`, outermost first, strides in bytes (0 = repeat). Dense runs are copied
/// as such.
struct CopyLoop {
  std::int64_t size, to_stride, from_stride;
};
void strided_copy(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                  std::size_t element_bytes);

/// n elements of `element_bytes` each, all equal to the one at `element`.
void fill(std::byte* to, const std::byte* element, std::int64_t n, std::size_t element_bytes);

/// "AVX-512", "AVX2", ..: the instruction set that the loops run with; results are reproducible within one.
const char* instruction_set();

}  // namespace tutti
