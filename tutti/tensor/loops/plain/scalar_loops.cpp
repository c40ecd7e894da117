// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/scalar_loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/complex_loops.hpp"
#include "tutti/tensor/loops/plain/gamma.hpp"
#include "tutti/tensor/loops/plain/half_loops.hpp"
#include "tutti/tensor/loops/plain/plain_loop.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"
#include "tutti/tensor/loops/sixteen_bytes.hpp"

namespace tutti {
namespace {

template <class T>
constexpr bool is_integer_element = std::integral<T> && !std::same_as<T, bool>;

template <BinaryFn fn>
struct Binary {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::floating_point<T>) {
      if constexpr (fn == BinaryFn::rem) return std::fmod(a, b);
      if constexpr (fn == BinaryFn::pow) return std::pow(a, b);
      if constexpr (fn == BinaryFn::atan2) return std::atan2(a, b);
    } else {
      if constexpr (fn == BinaryFn::add) return wrapping_add(a, b);
      if constexpr (fn == BinaryFn::sub) return wrapping_sub(a, b);
      if constexpr (fn == BinaryFn::mul) return wrapping_mul(a, b);
      if constexpr (fn == BinaryFn::div) return integer_div(a, b);
      if constexpr (fn == BinaryFn::rem) return integer_rem(a, b);
      if constexpr (fn == BinaryFn::pow) return integer_pow(a, b);
      if constexpr (fn == BinaryFn::maximum) return std::max(a, b);
      if constexpr (fn == BinaryFn::minimum) return std::min(a, b);
      if constexpr (fn == BinaryFn::logical_and) return static_cast<T>(a & b);
      if constexpr (fn == BinaryFn::logical_or) return static_cast<T>(a | b);
      if constexpr (fn == BinaryFn::logical_xor) return static_cast<T>(a ^ b);
      if constexpr (fn == BinaryFn::shift_left) return shifted_left(a, b);
      if constexpr (fn == BinaryFn::shift_right_arithmetic) return shifted_right(a, b);
      if constexpr (fn == BinaryFn::shift_right_logical) return shifted_right_logically(a, b);
    }
  }
};

template <BinaryFn fn, class T>
ElementwiseKernel binary_of(Stride a, Stride b) {
  return plain_kernel<Binary<fn>, T, T>(a, b);
}

// Kernels that ignore the sign: T stands for the unsigned type of the same width, too.
template <std::signed_integral T>
ElementwiseKernel bits_kernel(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  const auto choose = [&]<BinaryFn of>() -> ElementwiseKernel { return binary_of<of, T>(a, b); };
  if constexpr (sizeof(T) < 4)
    if (const auto kernel = for_fn<add, sub, logical_and, logical_or, logical_xor>(fn, choose)) return kernel;
  return for_fn<mul, shift_left, shift_right_arithmetic, shift_right_logical>(fn, choose);
}

template <std::integral T>
ElementwiseKernel integer_kernel(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  const auto kernel = for_fn<div, rem, pow, maximum, minimum>(fn, [&]<BinaryFn of>() -> ElementwiseKernel {
    return binary_of<of, T>(a, b);
  });
  return kernel ? kernel : bits_kernel<std::make_signed_t<T>>(fn, a, b);
}

template <std::floating_point T>
ElementwiseKernel float_kernel(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  if (fn == complex) return complex_kernel_of_parts(dtype_of<T>(), a, b);
  return for_fn<rem, pow, atan2>(fn,
                                 [&]<BinaryFn of>() -> ElementwiseKernel { return binary_of<of, T>(a, b); });
}

template <UnaryFn fn>
struct Unary {
  template <class T>
  T operator()(T x) const {
    if constexpr (fn == UnaryFn::erf) return std::erf(x);
    if constexpr (fn == UnaryFn::digamma) return digamma(x);
    if constexpr (fn == UnaryFn::trigamma) return trigamma(x);
    if constexpr (fn == UnaryFn::neg) return wrapping_sub(T{0}, x);
    if constexpr (fn == UnaryFn::abs) return std::signed_integral<T> && x < 0 ? wrapping_sub(T{0}, x) : x;
    if constexpr (fn == UnaryFn::sign) return static_cast<T>((x > 0) - (std::signed_integral<T> && x < 0));
    if constexpr (fn == UnaryFn::logical_not) return static_cast<T>(~x);
    if constexpr (std::integral<T>) {
      const auto bits = static_cast<std::make_unsigned_t<T>>(x);
      if constexpr (fn == UnaryFn::popcount) return static_cast<T>(std::popcount(bits));
      if constexpr (fn == UnaryFn::count_leading_zeros) return static_cast<T>(std::countl_zero(bits));
    }
  }
};

template <UnaryFn fn, class T>
ElementwiseKernel unary_of() {
  return plain_kernel<Unary<fn>, T, T>(Stride::dense);
}

template <std::integral T>
ElementwiseKernel integer_kernel(UnaryFn fn) {
  using enum UnaryFn;
  return for_fn<neg, abs, sign, popcount, count_leading_zeros, logical_not>(
      fn, []<UnaryFn of>() -> ElementwiseKernel { return unary_of<of, T>(); });
}

template <std::floating_point T>
ElementwiseKernel float_kernel(UnaryFn fn) {
  using enum UnaryFn;
  return for_fn<digamma, trigamma, erf>(fn,
                                        []<UnaryFn of>() -> ElementwiseKernel { return unary_of<of, T>(); });
}

template <CompareDirection direction>
struct Compare {
  template <class T>
  bool operator()(T a, T b) const {
    if constexpr (direction == CompareDirection::eq) return a == b;
    if constexpr (direction == CompareDirection::ne) return a != b;
    if constexpr (direction == CompareDirection::lt) return a < b;
    if constexpr (direction == CompareDirection::le) return a <= b;
    if constexpr (direction == CompareDirection::gt) return a > b;
    if constexpr (direction == CompareDirection::ge) return a >= b;
  }
};

template <class T>
ElementwiseKernel compare_of(CompareDirection direction, Stride a, Stride b) {
  switch (direction) {
    case CompareDirection::eq: return plain_kernel<Compare<CompareDirection::eq>, bool, T>(a, b);
    case CompareDirection::ne: return plain_kernel<Compare<CompareDirection::ne>, bool, T>(a, b);
    case CompareDirection::lt: return plain_kernel<Compare<CompareDirection::lt>, bool, T>(a, b);
    case CompareDirection::le: return plain_kernel<Compare<CompareDirection::le>, bool, T>(a, b);
    case CompareDirection::gt: return plain_kernel<Compare<CompareDirection::gt>, bool, T>(a, b);
    case CompareDirection::ge: return plain_kernel<Compare<CompareDirection::ge>, bool, T>(a, b);
  }
  return nullptr;
}

struct Clamp {
  template <class T>
  T operator()(T low, T x, T high) const {
    return std::min(std::max(low, x), high);
  }
};

template <class T, Stride predicate, Stride on_true, Stride on_false>
void select_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  auto* to = reinterpret_cast<T*>(out);
  const PlainOperand<bool, predicate> chooser(in[0]);
  const PlainOperand<T, on_true> yes(in[1]);
  const PlainOperand<T, on_false> no(in[2]);
  for (std::int64_t i = 0; i < n; ++i) to[i] = chooser[i] ? yes[i] : no[i];
}

template <class T>
ElementwiseKernel select_of(Stride predicate, Stride on_true, Stride on_false) {
  return for_strides([]<Stride... of>() -> ElementwiseKernel { return select_loop<T, of...>; }, predicate,
                     on_true, on_false);
}

}  // namespace

ElementwiseKernel scalar_unary_kernel(UnaryFn fn, DType dtype) {
  return with_element(dtype, [&]<class T>(std::type_identity<T>) -> ElementwiseKernel {
    if constexpr (is_half_element<T>) return half_unary_kernel(fn, dtype);
    else if constexpr (is_complex_element<T>) return complex_unary_kernel(fn, dtype);
    else if constexpr (is_integer_element<T>) return integer_kernel<T>(fn);
    else if constexpr (std::floating_point<T>) return float_kernel<T>(fn);
    else return nullptr;
  });
}

ElementwiseKernel scalar_binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b) {
  return with_element(dtype, [&]<class T>(std::type_identity<T>) -> ElementwiseKernel {
    if constexpr (is_half_element<T>) return half_binary_kernel(fn, dtype, a, b);
    else if constexpr (is_complex_element<T>) return complex_binary_kernel(fn, dtype, a, b);
    else if constexpr (is_integer_element<T>) return integer_kernel<T>(fn, a, b);
    else if constexpr (std::floating_point<T>) return float_kernel<T>(fn, a, b);
    else return nullptr;
  });
}

ElementwiseKernel scalar_compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b) {
  return with_element(dtype, [&]<class T>(std::type_identity<T>) -> ElementwiseKernel {
    if constexpr (is_half_element<T>) return half_compare_kernel(direction, dtype, a, b);
    else if constexpr (is_complex_element<T>) return complex_compare_kernel(direction, dtype, a, b);
    else if constexpr (is_integer_element<T>) return compare_of<T>(direction, a, b);
    else return nullptr;
  });
}

ElementwiseKernel scalar_select_kernel(DType dtype, Stride predicate, Stride on_true, Stride on_false) {
  if (bytes_per_element(dtype) == 2) return select_of<std::uint16_t>(predicate, on_true, on_false);
  if (bytes_per_element(dtype) == 16) return select_of<SixteenBytes>(predicate, on_true, on_false);
  return nullptr;
}

ElementwiseKernel scalar_clamp_kernel(DType dtype, Stride low, Stride x, Stride high) {
  return with_element(dtype, [&]<class T>(std::type_identity<T>) -> ElementwiseKernel {
    if constexpr (is_half_element<T>) return half_clamp_kernel(dtype, low, x, high);
    else if constexpr (is_integer_element<T>) return plain_kernel<Clamp, T, T>(low, x, high);
    else return nullptr;
  });
}

void scalar_sin(float* out, const float* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::sin(in[i]);
}
void scalar_sin(double* out, const double* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::sin(in[i]);
}
void scalar_cos(float* out, const float* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::cos(in[i]);
}
void scalar_cos(double* out, const double* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::cos(in[i]);
}

}  // namespace tutti
