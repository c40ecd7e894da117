// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/half_loops.hpp"

#include <algorithm>
#include <array>
#include <concepts>

#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/plain/pairwise_lines.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

constexpr std::int64_t block = 512;  // elements: an f32 block of each operand stays in L1

template <class H>
void widen(float* to, const std::byte* from, std::int64_t n) {
  half_convert_kernel(dtype_of<H>(), DType::f32)(reinterpret_cast<std::byte*>(to), &from, n);
}

template <class H>
void round_to(std::byte* to, const float* from, std::int64_t n) {
  const std::byte* const in[] = {reinterpret_cast<const std::byte*>(from)};
  half_convert_kernel(DType::f32, dtype_of<H>())(to, in, n);
}

// --- Element by element

/// Runs an f32 kernel on blocks of H. Out is H or bool.
template <class H, class Out, std::size_t operands>
void by_f32(ElementwiseKernel kernel, const std::array<Stride, operands>& steps, std::byte* out,
            const std::byte* const* in, std::int64_t n) {
  alignas(64) float wide[operands][block], result[block];
  const std::byte* from[operands];
  for (std::size_t k = 0; k < operands; ++k) {
    from[k] = reinterpret_cast<const std::byte*>(wide[k]);
    if (steps[k] == Stride::scalar) widen<H>(wide[k], in[k], 1);
  }
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t width = std::min(block, n - first);
    for (std::size_t k = 0; k < operands; ++k)
      if (steps[k] == Stride::dense)
        widen<H>(wide[k], in[k] + first * static_cast<std::int64_t>(sizeof(H)), width);
    std::byte* to = out + first * static_cast<std::int64_t>(sizeof(Out));
    if constexpr (std::same_as<Out, bool>) {
      kernel(to, from, width);
    } else {
      kernel(reinterpret_cast<std::byte*>(result), from, width);
      round_to<H>(to, result, width);
    }
  }
}

template <class H, UnaryFn fn>
void unary_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using Out = std::conditional_t<fn == UnaryFn::is_finite, bool, H>;
  by_f32<H, Out, 1>(unary_kernel(fn, DType::f32), {Stride::dense}, out, in, n);
}

template <class H>
ElementwiseKernel unary_of(UnaryFn fn) {
  using enum UnaryFn;
  return for_fn<neg, exp, log, tanh, sqrt, rsqrt, logistic, abs, sign, sin, cos, log1p, expm1, erf, erf_inv,
                xla_erf_inv, exp2, log2, log10, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, cbrt,
                erfc, lgamma, digamma, trigamma, round, floor, ceil, is_finite>(
      fn, []<UnaryFn of>() -> ElementwiseKernel { return unary_loop<H, of>; });
}

template <class H, BinaryFn fn, Stride a, Stride b>
void binary_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  by_f32<H, H, 2>(binary_kernel(fn, DType::f32, a, b), {a, b}, out, in, n);
}

template <class H, BinaryFn fn>
ElementwiseKernel binary_of(Stride a, Stride b) {
  return for_strides([]<Stride... of>() -> ElementwiseKernel { return binary_loop<H, fn, of...>; }, a, b);
}

template <class H>
ElementwiseKernel binary_of(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  return for_fn<add, sub, mul, div, pow, maximum, minimum, rem, atan2>(
      fn, [&]<BinaryFn of>() -> ElementwiseKernel { return binary_of<H, of>(a, b); });
}

template <class H, CompareDirection direction, Stride a, Stride b>
void compare_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  by_f32<H, bool, 2>(compare_kernel(direction, DType::f32, a, b), {a, b}, out, in, n);
}

template <class H, CompareDirection direction>
ElementwiseKernel compare_of(Stride a, Stride b) {
  return for_strides([]<Stride... of>() -> ElementwiseKernel { return compare_loop<H, direction, of...>; }, a,
                     b);
}

template <class H>
ElementwiseKernel compare_of(CompareDirection direction, Stride a, Stride b) {
  switch (direction) {
    case CompareDirection::eq: return compare_of<H, CompareDirection::eq>(a, b);
    case CompareDirection::ne: return compare_of<H, CompareDirection::ne>(a, b);
    case CompareDirection::lt: return compare_of<H, CompareDirection::lt>(a, b);
    case CompareDirection::le: return compare_of<H, CompareDirection::le>(a, b);
    case CompareDirection::gt: return compare_of<H, CompareDirection::gt>(a, b);
    case CompareDirection::ge: return compare_of<H, CompareDirection::ge>(a, b);
  }
  return nullptr;
}

template <class H, Stride... steps>
void clamp_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  by_f32<H, H, 3>(clamp_kernel(DType::f32, steps...), {steps...}, out, in, n);
}

template <class H>
ElementwiseKernel clamp_of(Stride low, Stride x, Stride high) {
  return for_strides([]<Stride... of>() -> ElementwiseKernel { return clamp_loop<H, of...>; }, low, x, high);
}

// --- Reductions, accumulated in f32

template <class H, ReduceKind kind>
struct Reduced {
  static constexpr std::int64_t narrow = 64;  // columns at a time, so that all lines stay in L1
  static constexpr std::int64_t row_block = 1024;

  static void rows(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                   std::int64_t row_bytes) {
    for (std::int64_t row = 0; row < rows; ++row, in += row_bytes, out += sizeof(H))
      fold_row(out, in, columns);
  }

  static void columns(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes, std::byte*) {
    for (std::int64_t first = 0; first < columns; first += narrow) {
      const std::int64_t width = std::min(narrow, columns - first),
                         offset = first * static_cast<std::int64_t>(sizeof(H));
      PairwiseLines<float, narrow> folds(kind, width);
      if (rows == 0) {
        std::fill_n(folds.next(), width, neutral_element<kind, float>());
        folds.push();
      }
      for (std::int64_t row = 0; row < rows; ++row) {
        widen<H>(folds.next(), in + row * row_bytes + offset, width);
        folds.push();
      }
      float* folded = folds.folded();
      for (std::int64_t i = 0; i < width && kind == ReduceKind::sum; ++i) folded[i] += 0.0F;  // -0 becomes +0
      round_to<H>(out + offset, folded, width);
    }
  }

 private:
  static void fold_row(std::byte* out, const std::byte* row, std::int64_t columns) {
    const ReduceRowsKernel fold = reduce_rows_kernel(kind, DType::f32);
    PairwiseLines<float, 1> folds(kind, 1);
    alignas(64) float wide[row_block];
    std::int64_t first = 0;
    do {
      const std::int64_t width = std::min(row_block, columns - first);
      widen<H>(wide, row + first * static_cast<std::int64_t>(sizeof(H)), width);
      fold(reinterpret_cast<std::byte*>(folds.next()), reinterpret_cast<const std::byte*>(wide), 1, width, 0);
      folds.push();
      first += row_block;
    } while (first < columns);
    round_to<H>(out, folds.folded(), 1);
  }
};

/// Returns take(Reduced<H, kind>()) for the type H of dtype; null for `and` and `or`.
template <class Kernel, class F>
Kernel for_halves(ReduceKind kind, DType dtype, F take) {
  const auto of = [&]<class H>(std::type_identity<H>) {
    return for_kind<H>(kind, [&]<ReduceKind of_kind>() -> Kernel { return take(Reduced<H, of_kind>()); });
  };
  return dtype == DType::f16 ? of(std::type_identity<f16>()) : of(std::type_identity<bf16>());
}

}  // namespace

ElementwiseKernel half_unary_kernel(UnaryFn fn, DType dtype) {
  return dtype == DType::f16 ? unary_of<f16>(fn) : unary_of<bf16>(fn);
}

ElementwiseKernel half_binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b) {
  return dtype == DType::f16 ? binary_of<f16>(fn, a, b) : binary_of<bf16>(fn, a, b);
}

ElementwiseKernel half_compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b) {
  return dtype == DType::f16 ? compare_of<f16>(direction, a, b) : compare_of<bf16>(direction, a, b);
}

ElementwiseKernel half_clamp_kernel(DType dtype, Stride low, Stride x, Stride high) {
  return dtype == DType::f16 ? clamp_of<f16>(low, x, high) : clamp_of<bf16>(low, x, high);
}

ReduceRowsKernel half_reduce_rows_kernel(ReduceKind kind, DType dtype) {
  return for_halves<ReduceRowsKernel>(kind, dtype, []<class R>(R) { return &R::rows; });
}

ReduceColumnsKernel half_reduce_columns_kernel(ReduceKind kind, DType dtype) {
  return for_halves<ReduceColumnsKernel>(kind, dtype, []<class R>(R) { return &R::columns; });
}

}  // namespace tutti
