// SPDX-License-Identifier: Apache-2.0
// The vector functions of SLEEF, as sleef_tan(x) and the like. For the sources of this folder, compiled once
// per instruction set. For each function SLEEF has two versions whose bits do not depend on the width of
// vectors: finz_ with fused multiply-add, cinz_ without. sleef.h declares a function only where the whole
// file is compiled for its instruction set, so the functions are declared here. Macros join the names, which
// differ by instruction set.
#include <hwy/highway.h>

#include <cmath>
#include <type_traits>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/simd/inline.hpp"

#if defined(TUTTI_TENSOR_SLEEF_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_SLEEF_INL_HPP
#undef TUTTI_TENSOR_SLEEF_INL_HPP
#else
#define TUTTI_TENSOR_SLEEF_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using SleefVector = hn::Vec<hn::ScalableTag<T>>;
template <class T>
using SleefRaw = decltype(SleefVector<T>::raw);

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3 && defined(TUTTI_SLEEF_HAS_AVX512F)
#define TUTTI_SLEEF_F32(fn, error) Sleef_finz_##fn##f16_##error##avx512f
#define TUTTI_SLEEF_F64(fn, error) Sleef_finz_##fn##d8_##error##avx512f
#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2 && defined(TUTTI_SLEEF_HAS_AVX2)
#define TUTTI_SLEEF_F32(fn, error) Sleef_finz_##fn##f8_##error##avx2
#define TUTTI_SLEEF_F64(fn, error) Sleef_finz_##fn##d4_##error##avx2
#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_SCALAR && defined(TUTTI_SLEEF_HAS_PUREC)
#define TUTTI_SLEEF_F32(fn, error) Sleef_cinz_##fn##f1_##error##purec
#define TUTTI_SLEEF_F64(fn, error) Sleef_cinz_##fn##d1_##error##purec
#elif HWY_ARCH_X86_64 && HWY_TARGET > HWY_AVX2 && HWY_TARGET <= HWY_SSE2 && defined(TUTTI_SLEEF_HAS_SSE2)
#define TUTTI_SLEEF_F32(fn, error) Sleef_cinz_##fn##f4_##error##sse2
#define TUTTI_SLEEF_F64(fn, error) Sleef_cinz_##fn##d2_##error##sse2
#elif HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON && defined(TUTTI_SLEEF_HAS_ADVSIMD)
#define TUTTI_SLEEF_F32(fn, error) Sleef_finz_##fn##f4_##error##advsimd
#define TUTTI_SLEEF_F64(fn, error) Sleef_finz_##fn##d2_##error##advsimd
#endif

#ifdef TUTTI_SLEEF_F32
#define TUTTI_SLEEF(fn, error)                                              \
  extern "C" SleefRaw<float> TUTTI_SLEEF_F32(fn, error)(SleefRaw<float>);   \
  extern "C" SleefRaw<double> TUTTI_SLEEF_F64(fn, error)(SleefRaw<double>); \
  TUTTI_INLINE SleefVector<float> sleef_##fn(SleefVector<float> x) {        \
    return SleefVector<float>{TUTTI_SLEEF_F32(fn, error)(x.raw)};           \
  }                                                                         \
  TUTTI_INLINE SleefVector<double> sleef_##fn(SleefVector<double> x) {      \
    return SleefVector<double>{TUTTI_SLEEF_F64(fn, error)(x.raw)};          \
  }
#else
// Instruction sets for which this SLEEF lacks functions (cmake/sleef.cmake): those of the C library, lane by
// lane. In the next wider type, rounded once: glibc's lgammaf has 2.01 units in the last place, and its
// cbrt(-27) is not -3.
template <class V, class F>
TUTTI_INLINE V by_lane(V x, F function) {
  using T = hn::TFromV<V>;
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  const hn::DFromV<V> d;
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    lanes[i] = static_cast<T>(function(static_cast<Wide>(lanes[i])));
  return hn::Load(d, lanes);
}
#define TUTTI_SLEEF(fn, error)                                  \
  template <class V>                                            \
  TUTTI_INLINE V sleef_##fn(V x) {                              \
    return by_lane(x, [](auto lane) { return std::fn(lane); }); \
  }
#endif

TUTTI_SLEEF(tan, u10)
TUTTI_SLEEF(asin, u10)
TUTTI_SLEEF(acos, u10)
TUTTI_SLEEF(atan, u10)
TUTTI_SLEEF(sinh, u10)
TUTTI_SLEEF(cosh, u10)
TUTTI_SLEEF(asinh, u10)
TUTTI_SLEEF(acosh, u10)
TUTTI_SLEEF(atanh, u10)
TUTTI_SLEEF(exp2, u10)
TUTTI_SLEEF(log2, u10)
TUTTI_SLEEF(log10, u10)
TUTTI_SLEEF(cbrt, u10)
TUTTI_SLEEF(erfc, u15)
TUTTI_SLEEF(lgamma, u10)

#undef TUTTI_SLEEF
#undef TUTTI_SLEEF_F32
#undef TUTTI_SLEEF_F64

}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
