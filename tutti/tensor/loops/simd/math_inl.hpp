// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, logistic, sin, cos, log1p and expm1 of vectors. For the sources of this folder, compiled once per
// instruction set. Highway's functions are fast and accurate inside their ranges and wrong outside; the functions
// here correct the edges (tests/tensor/math_test.cpp).
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

#include <limits>

#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/simd/inline.hpp"

#if defined(TUTTI_TENSOR_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_MATH_INL_HPP
#undef TUTTI_TENSOR_MATH_INL_HPP
#else
#define TUTTI_TENSOR_MATH_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// exp(x) is inf from this x on. Highway's Exp is still right at this x.
template <class T>
constexpr T exp_is_infinite = sizeof(T) == 4 ? T{90} : T{710};

template <class D, class V>
TUTTI_INLINE V exp_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = hn::Exp(d, hn::Min(x, hn::Set(d, exp_is_infinite<T>)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V>
TUTTI_INLINE V log_of(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const V zero = hn::Zero(d);
  V y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -infinity), y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, nan), y);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, infinity)), y, x);  // inf and NaN as they are
}

template <class D, class V>
TUTTI_INLINE V tanh_of(D d, V x) {
  return hn::Tanh(d, x);
}

/// 1 / (1 + exp(-x)), computed from exp(-|x|): nothing overflows, and both tails keep their digits.
template <class D, class V>
TUTTI_INLINE V logistic_of(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  const V e = exp_of(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

template <class D, class V>
TUTTI_INLINE V log1p_of(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const V minus_one = hn::Set(d, T{-1});
  V y = hn::Log1p(d, x);
  y = hn::IfThenElse(hn::Eq(x, minus_one), hn::Set(d, -infinity), y);
  y = hn::IfThenElse(hn::Lt(x, minus_one), hn::Set(d, nan), y);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, infinity)), y, x);  // inf and NaN as they are
}

template <class D, class V>
TUTTI_INLINE V expm1_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = hn::Expm1(d, hn::Min(x, hn::Set(d, exp_is_infinite<T>)));
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d))), x, y);  // -0 stays -0
}

/// The largest |x| for which Highway's sin and cos are accurate. Highway does not handle infinities.
template <class T>
constexpr T largest_angle = T{39000};

/// Takes `y`, Highway's result, in lanes up to largest_angle, and the C library's result (`scalar`) in the others. So
/// a lane's bits do not depend on its neighbours.
template <class D, class V, class F>
TUTTI_INLINE V with_large_angles(D d, V x, V y, F scalar) {
  using T = hn::TFromD<D>;
  const auto is_small = hn::Le(hn::Abs(x), hn::Set(d, largest_angle<T>));
  if (HWY_LIKELY(hn::AllTrue(d, is_small))) return y;
  HWY_ALIGN T angles[hn::MaxLanes(d)], found[hn::MaxLanes(d)];
  hn::Store(x, d, angles);
  scalar(found, angles, hn::Lanes(d));
  return hn::IfThenElse(is_small, y, hn::Load(d, found));
}

template <class D, class V>
TUTTI_INLINE V sin_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));  // -0 stays -0
  return with_large_angles(d, x, y, [](T* out, const T* in, std::size_t n) { scalar_sin(out, in, n); });
}

template <class D, class V>
TUTTI_INLINE V cos_of(D d, V x) {
  using T = hn::TFromD<D>;
  return with_large_angles(d, x, hn::Cos(d, x),
                           [](T* out, const T* in, std::size_t n) { scalar_cos(out, in, n); });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
