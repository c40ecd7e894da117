// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/scalar_loops.hpp"

#include <cmath>

#include "tutti/tensor/scalar_fn.hpp"

namespace tutti {
namespace {

template <BinaryFn fn, class T>
T binary(T a, T b) {
  if constexpr (std::floating_point<T>) {
    if constexpr (fn == BinaryFn::rem) return std::fmod(a, b);
    if constexpr (fn == BinaryFn::pow) return std::pow(a, b);
    if constexpr (fn == BinaryFn::atan2) return std::atan2(a, b);
  } else {
    if constexpr (fn == BinaryFn::mul) return wrapping_mul(a, b);
    if constexpr (fn == BinaryFn::div) return integer_div(a, b);
    if constexpr (fn == BinaryFn::rem) return integer_rem(a, b);
    if constexpr (fn == BinaryFn::pow) return integer_pow(a, b);
    if constexpr (fn == BinaryFn::shift_left) return shifted_left(a, b);
    if constexpr (fn == BinaryFn::shift_right_arithmetic) return shifted_right(a, b);
    if constexpr (fn == BinaryFn::shift_right_logical) return shifted_right_logically(a, b);
  }
}

template <BinaryFn fn, class T, Step a, Step b>
void binary_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  auto* to = reinterpret_cast<T*>(out);
  auto* left = reinterpret_cast<const T*>(in[0]);
  auto* right = reinterpret_cast<const T*>(in[1]);
  for (std::int64_t i = 0; i < n; ++i)
    to[i] = binary<fn>(left[a == Step::scalar ? 0 : i], right[b == Step::scalar ? 0 : i]);
}

template <BinaryFn fn, class T>
ElementwiseKernel with_steps(Step a, Step b) {
  if (a == Step::dense && b == Step::dense) return binary_loop<fn, T, Step::dense, Step::dense>;
  if (a == Step::dense) return binary_loop<fn, T, Step::dense, Step::scalar>;
  if (b == Step::dense) return binary_loop<fn, T, Step::scalar, Step::dense>;
  return binary_loop<fn, T, Step::scalar, Step::scalar>;
}

template <class T>
ElementwiseKernel integer_kernel(BinaryFn fn, Step a, Step b) {
  if (fn == BinaryFn::mul) return with_steps<BinaryFn::mul, T>(a, b);
  if (fn == BinaryFn::div) return with_steps<BinaryFn::div, T>(a, b);
  if (fn == BinaryFn::rem) return with_steps<BinaryFn::rem, T>(a, b);
  if (fn == BinaryFn::pow) return with_steps<BinaryFn::pow, T>(a, b);
  if (fn == BinaryFn::shift_left) return with_steps<BinaryFn::shift_left, T>(a, b);
  if (fn == BinaryFn::shift_right_arithmetic) return with_steps<BinaryFn::shift_right_arithmetic, T>(a, b);
  if (fn == BinaryFn::shift_right_logical) return with_steps<BinaryFn::shift_right_logical, T>(a, b);
  return nullptr;
}

template <class T>
ElementwiseKernel float_kernel(BinaryFn fn, Step a, Step b) {
  if (fn == BinaryFn::rem) return with_steps<BinaryFn::rem, T>(a, b);
  if (fn == BinaryFn::pow) return with_steps<BinaryFn::pow, T>(a, b);
  if (fn == BinaryFn::atan2) return with_steps<BinaryFn::atan2, T>(a, b);
  return nullptr;
}

template <class T>
void erf_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in[0]);
  for (std::int64_t i = 0; i < n; ++i) to[i] = std::erf(from[i]);
}

template <class From, class To>
void convert_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  auto* to = reinterpret_cast<To*>(out);
  auto* from = reinterpret_cast<const From*>(in[0]);
  for (std::int64_t i = 0; i < n; ++i) to[i] = convert_element<To>(from[i]);
}

template <class From>
ElementwiseKernel convert_from(DType to) {
  switch (to) {
    case DType::boolean: return convert_loop<From, bool>;
    case DType::i32: return convert_loop<From, std::int32_t>;
    case DType::i64: return convert_loop<From, std::int64_t>;
    case DType::f32: return convert_loop<From, float>;
    case DType::f64: return convert_loop<From, double>;
  }
  return nullptr;
}

}  // namespace

ElementwiseKernel scalar_binary_kernel(BinaryFn fn, DType dtype, Step a, Step b) {
  switch (dtype) {
    case DType::boolean: return nullptr;
    case DType::i32: return integer_kernel<std::int32_t>(fn, a, b);
    case DType::i64: return integer_kernel<std::int64_t>(fn, a, b);
    case DType::f32: return float_kernel<float>(fn, a, b);
    case DType::f64: return float_kernel<double>(fn, a, b);
  }
  return nullptr;
}

ElementwiseKernel scalar_unary_kernel(UnaryFn fn, DType dtype) {
  if (fn != UnaryFn::erf) return nullptr;
  if (dtype == DType::f32) return erf_loop<float>;
  return dtype == DType::f64 ? erf_loop<double> : nullptr;
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

ElementwiseKernel scalar_convert_kernel(DType from, DType to) {
  switch (from) {
    case DType::boolean: return convert_from<bool>(to);
    case DType::i32: return convert_from<std::int32_t>(to);
    case DType::i64: return convert_from<std::int64_t>(to);
    case DType::f32: return convert_from<float>(to);
    case DType::f64: return convert_from<double>(to);
  }
  return nullptr;
}

}  // namespace tutti
