// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/simd/elementary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/unary.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/math_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

// -1 or 1; NaN and zeros of both signs stay as they are.
template <class D, class V>
TUTTI_INLINE V sign_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d);
  const V negative_or_zero = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, T{-1}), x);
  return hn::IfThenElse(hn::Gt(x, zero), hn::Set(d, T{1}), negative_or_zero);
}

// False where Highway has no instruction for them: lane by lane, and on x86 before SSE4. There its Floor,
// Ceil and Round may lose the sign of zeros, and Round gives 1 for the number just below 0.5.
constexpr bool rounds_well = HWY_TARGET != HWY_SCALAR && !(HWY_ARCH_X86 && HWY_TARGET > HWY_SSE4);

/// `y` is x rounded in some way, so it has the sign of x.
template <class V>
TUTTI_INLINE V with_sign_of(V x, V y) {
  if constexpr (rounds_well) return y;
  else return hn::CopySign(y, x);
}

template <class D, class V>
TUTTI_INLINE V round_of(D d, V x) {
  const V y = hn::Round(x);
  if constexpr (rounds_well) return y;
  const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, hn::TFromD<D>(0.5)));
  return with_sign_of(x, hn::IfThenElse(is_small, hn::Zero(d), y));
}

template <UnaryFn fn>
struct Apply {
  template <class V>
  TUTTI_INLINE V operator()(V x) const {
    const hn::DFromV<V> d;
    if constexpr (fn == UnaryFn::neg) return hn::Neg(x);
    if constexpr (fn == UnaryFn::abs) return hn::Abs(x);
    if constexpr (fn == UnaryFn::sign) return sign_of(d, x);
    if constexpr (fn == UnaryFn::exp) return exp_of(d, x);
    if constexpr (fn == UnaryFn::log) return log_of(d, x);
    if constexpr (fn == UnaryFn::tanh) return tanh_of(d, x);
    if constexpr (fn == UnaryFn::logistic) return logistic_of(d, x);
    if constexpr (fn == UnaryFn::sqrt) return hn::Sqrt(x);
    if constexpr (fn == UnaryFn::sin) return sin_of(d, x);
    if constexpr (fn == UnaryFn::cos) return cos_of(d, x);
    if constexpr (fn == UnaryFn::log1p) return log1p_of(d, x);
    if constexpr (fn == UnaryFn::expm1) return expm1_of(d, x);
    if constexpr (fn == UnaryFn::erf) return erf_of(d, x);
    if constexpr (fn == UnaryFn::xla_erf_inv) return xla_erf_inv_of(d, x);
    if constexpr (fn == UnaryFn::round) return round_of(d, x);
    if constexpr (fn == UnaryFn::floor) return with_sign_of(x, hn::Floor(x));
    if constexpr (fn == UnaryFn::ceil) return with_sign_of(x, hn::Ceil(x));
    if constexpr (fn == UnaryFn::logical_not) return hn::Not(x);
    if constexpr (fn == UnaryFn::rsqrt) return hn::Div(hn::Set(d, hn::TFromV<V>{1}), hn::Sqrt(x));
  }
};

template <UnaryFn fn, class T>
void unary_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), Apply<fn>(), Operand<Stride::dense, D>(in[0]));
}

struct IsFinite {
  template <class V>
  TUTTI_INLINE auto operator()(V x) const {
    return hn::IsFinite(x);
  }
};

template <class T>
void is_finite_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, MaskResult<D>(out), IsFinite(), Operand<Stride::dense, D>(in[0]));
}

// A bool is a byte 0 or 1.
struct NotOfBool {
  template <class V>
  TUTTI_INLINE V operator()(V x) const {
    return hn::Xor(x, hn::Set(hn::DFromV<V>(), 1));
  }
};

void bool_not_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<std::uint8_t>;
  map(D(), n, Result<D>(out), NotOfBool(), Operand<Stride::dense, D>(in[0]));
}

template <class T>
ElementwiseKernel float_kernel(UnaryFn fn) {
  using enum UnaryFn;
  if (fn == is_finite) return is_finite_loop<T>;
  // Without fused multiply-add the C library's erf is the accurate one.
  if constexpr (HWY_NATIVE_FMA)
    if (fn == erf) return unary_loop<erf, T>;
  return for_fn<neg, exp, log, tanh, sqrt, rsqrt, logistic, abs, sign, sin, cos, log1p, expm1, round, floor,
                ceil, xla_erf_inv>(fn, []<UnaryFn of>() -> ElementwiseKernel { return unary_loop<of, T>; });
}

template <class T>
ElementwiseKernel integer_kernel(UnaryFn fn) {
  using enum UnaryFn;
  return for_fn<neg, abs, sign, logical_not>(fn, []<UnaryFn of>() -> ElementwiseKernel {
    return unary_loop<of, T>;
  });
}

ElementwiseKernel vector_unary_kernel(UnaryFn fn, Lanes lanes) {
  switch (lanes) {
    case Lanes::boolean: return fn == UnaryFn::logical_not ? bool_not_loop : nullptr;
    case Lanes::i32: return integer_kernel<std::int32_t>(fn);
    case Lanes::i64: return integer_kernel<std::int64_t>(fn);
    case Lanes::f32: return float_kernel<float>(fn);
    case Lanes::f64: return float_kernel<double>(fn);
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_unary_kernel);

ElementwiseKernel unary_kernel(UnaryFn fn, DType dtype) {
  ElementwiseKernel kernel = nullptr;
  if (const auto lanes = lanes_of(dtype)) {
    kernel = HWY_DYNAMIC_DISPATCH(vector_unary_kernel)(fn, *lanes);
    if (kernel == nullptr) kernel = elementary_kernel(fn, *lanes);
  }
  if (kernel == nullptr) kernel = scalar_unary_kernel(fn, dtype);
  require(kernel != nullptr, Code::dtype, "{} is not defined for {}; convert the operand to another dtype",
          name(fn), name(dtype));
  return kernel;
}

}  // namespace tutti
#endif
