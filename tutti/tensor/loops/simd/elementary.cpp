// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/simd/elementary.hpp"

#include <algorithm>
#include <cmath>

#include "tutti/tensor/loops/choose.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/elementary.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/math_inl.hpp"
#include "tutti/tensor/loops/simd/sleef_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// From here on sinh and cosh are exp(x) / 2 to the last place. SLEEF's overflow where exp(x) does.
template <class T>
constexpr T exp_alone_from = sizeof(T) == 4 ? T{10} : T{20};

template <class D, class V>
TUTTI_INLINE V sinh_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V size = hn::Abs(x), large = hn::CopySign(half_exp_of(d, size), x);
  return hn::IfThenElse(hn::Gt(size, hn::Set(d, exp_alone_from<T>)), large, sleef_sinh(x));
}

template <class D, class V>
TUTTI_INLINE V cosh_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V size = hn::Abs(x);
  return hn::IfThenElse(hn::Gt(size, hn::Set(d, exp_alone_from<T>)), half_exp_of(d, size), sleef_cosh(x));
}

/// From here on asinh and acosh are log(x) + log(2) to the last place. SLEEF's overflow where the square of x
/// does.
template <class T>
constexpr T log_alone_from = sizeof(T) == 4 ? T{1e6} : T{1e9};

template <class D, class V>
TUTTI_INLINE V log_of_double(D d, V x) {
  return hn::Add(log_of(d, x), hn::Set(d, hn::TFromD<D>(0.693147180559945309417)));
}

template <class D, class V>
TUTTI_INLINE V asinh_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V size = hn::Abs(x), large = hn::CopySign(log_of_double(d, size), x);
  return hn::IfThenElse(hn::Gt(size, hn::Set(d, log_alone_from<T>)), large, sleef_asinh(x));
}

template <class D, class V>
TUTTI_INLINE V acosh_of(D d, V x) {
  using T = hn::TFromD<D>;
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, log_alone_from<T>)), log_of_double(d, x), sleef_acosh(x));
}

/// SLEEF's of f32 overflows a little too soon: there the first terms of Stirling's series are right to the
/// last place.
template <class D, class V>
TUTTI_INLINE V lgamma_of(D d, V x) {
  const V y = sleef_lgamma(x);
  if constexpr (sizeof(hn::TFromD<D>) == 8) return y;
  const V series = hn::Mul(x, hn::Sub(log_of(d, x), hn::Set(d, hn::TFromD<D>{1})));
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, hn::TFromD<D>(4e36))), series, y);
}

/// Without fused multiply-add SLEEF's of f32 has 2.3 units in the last place where the result is denormal:
/// there the C library's of double is rounded.
template <class D, class V>
TUTTI_INLINE V erfc_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = sleef_erfc(x);
  if constexpr (sizeof(T) == 8) return y;
  const auto is_denormal = hn::And(hn::Gt(x, hn::Set(d, T(9))), hn::Lt(x, hn::Set(d, T(10.1))));
  return where_right(d, hn::Not(is_denormal), x, y, [](T* out, const T* in, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(std::erfc(static_cast<double>(in[i])));
  });
}

/// XLA's formula and a step of Newton's method for erf(y) = x. Where erf is near 1 the step is for erfc(y) =
/// 1 - x instead, which is exact there. For f64: 4 units in the last place.
template <class D, class V>
TUTTI_INLINE V erf_inv_of(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T half_sqrt_pi = T(0.88622692545275801365);
  const V size = hn::Abs(x), one = hn::Set(d, T{1}), near = xla_erf_inv_of(d, size);
  const V above = hn::IfThenElse(hn::Lt(size, hn::Set(d, T{0.5})), hn::Sub(erf_of(d, near), size),
                                 hn::Sub(hn::Sub(one, size), sleef_erfc(near)));
  const V per_slope = hn::Mul(hn::Set(d, half_sqrt_pi), exp_of(d, hn::Mul(near, near)));
  const V y = hn::NegMulAdd(above, per_slope, near);
  return hn::CopySign(hn::IfThenElse(hn::Eq(size, one), near, y), x);
}

/// A logarithm with one NaN below zero, and NaNs as they are: the signs of SLEEF's differ by instruction set.
template <class D, class V>
TUTTI_INLINE V with_known_nan(D d, V x, V y) {
  const V nan = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
  y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), nan, y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <UnaryFn fn>
struct Apply {
  template <class V>
  TUTTI_INLINE V operator()(V x) const {
    const hn::DFromV<V> d;
    if constexpr (fn == UnaryFn::exp2) return sleef_exp2(x);
    if constexpr (fn == UnaryFn::log2) return with_known_nan(d, x, sleef_log2(x));
    if constexpr (fn == UnaryFn::log10) return with_known_nan(d, x, sleef_log10(x));
    if constexpr (fn == UnaryFn::tan) return sleef_tan(x);
    if constexpr (fn == UnaryFn::asin) return sleef_asin(x);
    if constexpr (fn == UnaryFn::acos) return sleef_acos(x);
    if constexpr (fn == UnaryFn::atan) return sleef_atan(x);
    if constexpr (fn == UnaryFn::sinh) return sinh_of(d, x);
    if constexpr (fn == UnaryFn::cosh) return cosh_of(d, x);
    if constexpr (fn == UnaryFn::asinh) return asinh_of(d, x);
    if constexpr (fn == UnaryFn::acosh) return acosh_of(d, x);
    if constexpr (fn == UnaryFn::atanh) return sleef_atanh(x);
    if constexpr (fn == UnaryFn::cbrt) return sleef_cbrt(x);
    if constexpr (fn == UnaryFn::erfc) return erfc_of(d, x);
    if constexpr (fn == UnaryFn::erf_inv) return erf_inv_of(d, x);
    if constexpr (fn == UnaryFn::lgamma) return lgamma_of(d, x);
  }
};

template <UnaryFn fn, class T>
void loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), Apply<fn>(), Operand<Stride::dense, D>(in[0]));
}

struct XlaErfInv {
  template <class V>
  TUTTI_INLINE V operator()(V x) const {
    return xla_erf_inv_of(hn::DFromV<V>(), x);
  }
};

/// erf_inv of f32 is XLA's formula in f64, rounded once. Its error in f64 is far below a unit of f32.
void erf_inv_of_f32(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<double>;
  constexpr std::int64_t block = 256;  // elements
  alignas(64) double x[block];
  const auto* from = reinterpret_cast<const float*>(in[0]);
  auto* to = reinterpret_cast<float*>(out);
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t width = std::min(block, n - first);
    for (std::int64_t i = 0; i < width; ++i) x[i] = from[first + i];
    auto* bytes = reinterpret_cast<std::byte*>(x);
    map(D(), width, Result<D>(bytes), XlaErfInv(), Operand<Stride::dense, D>(bytes));
    for (std::int64_t i = 0; i < width; ++i) to[first + i] = static_cast<float>(x[i]);
  }
}

template <class T>
ElementwiseKernel kernel_of(UnaryFn fn) {
  using enum UnaryFn;
  if constexpr (sizeof(T) == 4)
    if (fn == erf_inv) return erf_inv_of_f32;
  return for_fn<exp2, log2, log10, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, cbrt, erfc, lgamma,
                erf_inv>(fn, []<UnaryFn of>() -> ElementwiseKernel { return loop<of, T>; });
}

ElementwiseKernel vector_elementary_kernel(UnaryFn fn, Lanes lanes) {
  if (lanes == Lanes::f32) return kernel_of<float>(fn);
  return lanes == Lanes::f64 ? kernel_of<double>(fn) : nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_elementary_kernel);

ElementwiseKernel elementary_kernel(UnaryFn fn, Lanes lanes) {
  return HWY_DYNAMIC_DISPATCH(vector_elementary_kernel)(fn, lanes);
}

}  // namespace tutti
#endif
