// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/convert.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// The lanes of a whole vector of the wider type.
template <class From, class To>
using WiderTag = hn::ScalableTag<std::conditional_t<(sizeof(From) > sizeof(To)), From, To>>;

struct IsNotZero {
  template <class V>
  TUTTI_INLINE auto operator()(V v) const {
    return hn::Not(hn::Eq(v, hn::Zero(hn::DFromV<V>())));  // NaN is not zero
  }
};

template <class From>
void to_bool_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<From>;
  map(D(), n, MaskResult<D>(out), IsNotZero(), Operand<Stride::dense, D>(in[0]));
}

// From is uint8_t for bool.
template <class From, class To, class DTo>
struct Convert {
  template <class V>
  TUTTI_INLINE hn::Vec<DTo> operator()(V v) const {
    const DTo d;
    if constexpr (std::is_same_v<From, std::uint8_t>) {
      const auto i32 = hn::PromoteTo(hn::Rebind<std::int32_t, DTo>(), v);
      if constexpr (std::is_same_v<To, std::int32_t>) return i32;
      else if constexpr (std::is_same_v<To, float>) return hn::ConvertTo(d, i32);
      else return hn::PromoteTo(d, i32);
    } else if constexpr (std::is_same_v<To, std::int32_t> && hwy::IsFloat<From>()) {
      const auto number = hn::IfThenElseZero(hn::Eq(v, v), v);  // NaN -> 0
      if constexpr (sizeof(From) == 4) return hn::ConvertTo(d, number);
      else return hn::DemoteTo(d, number);
    } else if constexpr (std::is_same_v<From, std::int64_t>) {
      return hn::BitCast(d, hn::TruncateTo(hn::RebindToUnsigned<DTo>(),
                                           hn::BitCast(hn::Rebind<std::uint64_t, DTo>(), v)));
    } else if constexpr (sizeof(From) == sizeof(To)) {
      return hn::ConvertTo(d, v);
    } else if constexpr (sizeof(From) > sizeof(To)) {
      return hn::DemoteTo(d, v);
    } else {
      return hn::PromoteTo(d, v);
    }
  }
};

template <class From, class To>
void convert_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = WiderTag<From, To>;
  using DTo = hn::Rebind<To, D>;
  map(D(), n, Result<DTo>(out), Convert<From, To, DTo>(), Operand<Stride::dense, hn::Rebind<From, D>>(in[0]));
}

ElementwiseKernel to_bool_kernel(Lanes from) {
  switch (from) {
    case Lanes::boolean: return nullptr;
    case Lanes::i32: return to_bool_loop<std::int32_t>;
    case Lanes::i64: return to_bool_loop<std::int64_t>;
    case Lanes::f32: return to_bool_loop<float>;
    case Lanes::f64: return to_bool_loop<double>;
  }
  return nullptr;
}

ElementwiseKernel to_i32_kernel(Lanes from) {
  switch (from) {
    case Lanes::boolean: return convert_loop<std::uint8_t, std::int32_t>;
    case Lanes::i32: return nullptr;
    case Lanes::i64: return convert_loop<std::int64_t, std::int32_t>;
    case Lanes::f32: return convert_loop<float, std::int32_t>;
    case Lanes::f64: return convert_loop<double, std::int32_t>;
  }
  return nullptr;
}

ElementwiseKernel to_f32_kernel(Lanes from) {
  switch (from) {
    case Lanes::boolean: return convert_loop<std::uint8_t, float>;
    case Lanes::i32: return convert_loop<std::int32_t, float>;
    case Lanes::i64:
    case Lanes::f32: return nullptr;
    case Lanes::f64:  // Highway's portable DemoteTo gives the largest float instead of inf
      if constexpr (HWY_CAP_GE256) return convert_loop<double, float>;
      else return nullptr;
  }
  return nullptr;
}

ElementwiseKernel to_f64_kernel(Lanes from) {
  switch (from) {
    case Lanes::boolean: return convert_loop<std::uint8_t, double>;
    case Lanes::i32: return convert_loop<std::int32_t, double>;
    case Lanes::f32: return convert_loop<float, double>;
    case Lanes::i64:
    case Lanes::f64: return nullptr;
  }
  return nullptr;
}

// Null from a type to itself, to i64, and from i64 to a float, which Highway does not round once on every
// target.
ElementwiseKernel vector_convert_kernel(Lanes from, Lanes to) {
  switch (to) {
    case Lanes::boolean: return to_bool_kernel(from);
    case Lanes::i32: return to_i32_kernel(from);
    case Lanes::i64: return nullptr;
    case Lanes::f32: return to_f32_kernel(from);
    case Lanes::f64: return to_f64_kernel(from);
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_convert_kernel);

ElementwiseKernel convert_kernel(DType from, DType to) {
  const auto vector_from = lanes_of(from), vector_to = lanes_of(to);
  if (vector_from && vector_to)
    if (ElementwiseKernel kernel = HWY_DYNAMIC_DISPATCH(vector_convert_kernel)(*vector_from, *vector_to))
      return kernel;
  return scalar_convert_kernel(from, to);
}

}  // namespace tutti
#endif
