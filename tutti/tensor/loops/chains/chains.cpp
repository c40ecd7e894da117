// SPDX-License-Identifier: Apache-2.0
// Chooses the kernels of chains, of fold chains, and of folds of rows that chains compute.
#include "tutti/tensor/loops/chains/chain_kernels.hpp"

#include <algorithm>

namespace tutti {

bool put_aside(std::span<const ChainStep> steps) {
  return std::ranges::any_of(steps,
                             [](const ChainStep& step) { return step.aside == ChainStep::Aside::put; });
}

ChainKernel chain_kernel(DType dtype, std::span<const ChainStep> steps) {
  if (put_aside(steps)) return chain_with_aside_kernel(dtype);
  if (is_half(dtype)) return chain_kernel_of_halves(dtype);
  if (dtype == DType::f32) return chain_kernel_of_f32(steps);
  return dtype == DType::f64 ? chain_kernel_of_f64(steps) : nullptr;
}

ChainByRowsKernel chain_by_rows_kernel(DType dtype) {
  if (dtype == DType::f32) return chain_by_rows_kernel_of_f32();
  return dtype == DType::f64 ? chain_by_rows_kernel_of_f64() : nullptr;
}

FoldChainKernel fold_chain_kernel(DType dtype, int results) {
  if (dtype == DType::f32) return fold_chain_kernel_of_f32(results);
  return dtype == DType::f64 ? fold_chain_kernel_of_f64(results) : nullptr;
}

ReduceChainRowsKernel reduce_chain_rows_kernel(ReduceKind kind, DType dtype) {
  if (dtype == DType::f32) return reduce_chain_rows_kernel_of_f32(kind);
  return dtype == DType::f64 ? reduce_chain_rows_kernel_of_f64(kind) : nullptr;
}

ReduceChainRowsKernel reduce_chain_pieces_kernel(ReduceKind kind, DType dtype) {
  if (dtype == DType::f32) return reduce_chain_pieces_kernel_of_f32(kind);
  return dtype == DType::f64 ? reduce_chain_pieces_kernel_of_f64(kind) : nullptr;
}

std::optional<ChainStep::Fn> chain_fn(BinaryFn fn, bool x_is_right) {
  using enum ChainStep::Fn;
  switch (fn) {
    case BinaryFn::add: return x_is_right ? add_to : add;
    case BinaryFn::sub: return x_is_right ? sub_from : sub;
    case BinaryFn::mul: return x_is_right ? mul_into : mul;
    case BinaryFn::div: return x_is_right ? div_into : div;
    case BinaryFn::maximum: return maximum;
    case BinaryFn::minimum: return minimum;
    case BinaryFn::pow:
    case BinaryFn::rem:
    case BinaryFn::atan2:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical:
    case BinaryFn::complex: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ChainStep::Fn> chain_fn(CompareDirection gate) {
  using enum ChainStep::Fn;
  switch (gate) {
    case CompareDirection::lt: return limit_if_lt;
    case CompareDirection::le: return limit_if_le;
    case CompareDirection::gt: return limit_if_gt;
    case CompareDirection::ge: return limit_if_ge;
    case CompareDirection::eq:
    case CompareDirection::ne: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tutti
