// SPDX-License-Identifier: Apache-2.0
// Conversions between f16 or bf16 and lanes of f32; half.hpp has the same steps and the reasons. For the
// sources of this folder, compiled once per instruction set.
#include <hwy/highway.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/types/half.hpp"

#if defined(TUTTI_TENSOR_HALF_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_HALF_INL_HPP
#undef TUTTI_TENSOR_HALF_INL_HPP
#else
#define TUTTI_TENSOR_HALF_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

using Floats = hn::ScalableTag<float>;
using FloatBits = hn::ScalableTag<std::uint32_t>;
using Halves = hn::Rebind<std::uint16_t, Floats>;

/// `v` without its `bits` low bits, rounded to nearest even.
template <int bits>
TUTTI_INLINE hn::Vec<FloatBits> without_low_bits(hn::Vec<FloatBits> v) {
  const FloatBits d;
  const auto last_kept = hn::And(hn::ShiftRight<bits>(v), hn::Set(d, 1));
  return hn::ShiftRight<bits>(hn::Add(hn::Add(v, hn::Set(d, (1U << (bits - 1)) - 1)), last_kept));
}

template <class H>
struct Widen;
template <class H>
struct Round;

template <>
struct Widen<bf16> {
  TUTTI_INLINE hn::Vec<Floats> operator()(hn::Vec<Halves> v) const {
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(FloatBits(), v)));
  }
};

template <>
struct Round<bf16> {
  TUTTI_INLINE hn::Vec<Halves> operator()(hn::Vec<Floats> v) const {
    const FloatBits d;
    const auto all = hn::BitCast(d, v);
    const auto quiet = hn::Or(hn::ShiftRight<16>(all), hn::Set(d, 0x40));
    const auto is_nan = hn::RebindMask(d, hn::IsNaN(v));
    return hn::TruncateTo(Halves(), hn::IfThenElse(is_nan, quiet, without_low_bits<16>(all)));
  }
};

template <>
struct Widen<f16> {
  TUTTI_INLINE hn::Vec<Floats> operator()(hn::Vec<Halves> v) const {
    const FloatBits d;
    const auto bits = hn::PromoteTo(d, v);
    const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(d, 0x7FFF)));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(d, 0x8000)));
    const auto scaled = hn::Mul(hn::BitCast(Floats(), magnitude), hn::Set(Floats(), 0x1p112F));
    const auto exponent = hn::Set(d, 0x7C00);
    const auto is_endless = hn::Eq(hn::And(bits, exponent), exponent);
    const auto endless = hn::Or(magnitude, hn::Set(d, 0x7F800000));
    return hn::BitCast(Floats(), hn::Or(hn::IfThenElse(is_endless, endless, hn::BitCast(d, scaled)), sign));
  }
};

template <>
struct Round<f16> {
  TUTTI_INLINE hn::Vec<Halves> operator()(hn::Vec<Floats> v) const {
    const FloatBits d;
    const auto all = hn::BitCast(d, v);
    const auto magnitude = hn::And(all, hn::Set(d, 0x7FFFFFFF));
    const auto sign = hn::And(hn::ShiftRight<16>(all), hn::Set(d, 0x8000));
    const auto size = hn::BitCast(Floats(), magnitude), half = hn::Set(Floats(), 0.5F);
    const auto normal = without_low_bits<13>(hn::Sub(magnitude, hn::Set(d, 112U << 23)));
    const auto small = hn::Sub(hn::BitCast(d, hn::Add(size, half)), hn::BitCast(d, half));
    const auto is_small = hn::RebindMask(d, hn::Lt(size, hn::Set(Floats(), 0x1p-14F)));
    const auto is_finite = hn::RebindMask(d, hn::Lt(size, hn::Set(Floats(), 65520)));  // 65520 rounds to 2^16
    const auto quiet = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 0x3FF)), hn::Set(d, 0x7E00));
    const auto is_nan = hn::RebindMask(d, hn::IsNaN(v));
    const auto endless = hn::IfThenElse(is_nan, quiet, hn::Set(d, 0x7C00));
    const auto rounded = hn::IfThenElse(is_finite, hn::IfThenElse(is_small, small, normal), endless);
    return hn::TruncateTo(Halves(), hn::Or(rounded, sign));
  }
};

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
