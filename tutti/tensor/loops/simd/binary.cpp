// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/binary.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/vector_fn_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <BinaryFn fn, class T, Stride a, Stride b>
void binary_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), Apply<fn>(), Operand<a, D>(in[0]), Operand<b, D>(in[1]));
}

template <BinaryFn fn, class T>
void both_scalar(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::CappedTag<T, 1>;
  T x;
  hn::StoreU(binary<fn>(Operand<Stride::scalar, D>(in[0]).at(0), Operand<Stride::scalar, D>(in[1]).at(0)),
             D(), &x);
  fill(out, reinterpret_cast<const std::byte*>(&x), n, sizeof x);
}

/// True if the order of the operands matters: for sub and div, and for sums and products of floats, where the
/// first of two NaNs comes out.
template <class T>
constexpr bool has_order(BinaryFn fn) {
  bool is_sum_or_product = fn == BinaryFn::add || fn == BinaryFn::mul;
  return fn == BinaryFn::sub || fn == BinaryFn::div || (is_sum_or_product && hwy::IsFloat<T>());
}

template <BinaryFn fn, class T>
ElementwiseKernel with_steps(Stride a, Stride b) {
  if (a == Stride::dense && b == Stride::dense) return binary_loop<fn, T, Stride::dense, Stride::dense>;
  if (a == Stride::dense) return binary_loop<fn, T, Stride::dense, Stride::scalar>;
  if (b == Stride::scalar) return both_scalar<fn, T>;
  if constexpr (has_order<T>(fn)) return binary_loop<fn, T, Stride::scalar, Stride::dense>;
  else return exchanged<binary_loop<fn, T, Stride::dense, Stride::scalar>>;
}

template <class T>
ElementwiseKernel float_kernel(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  return for_fn<add, sub, mul, div, maximum, minimum>(fn, [&]<BinaryFn of>() -> ElementwiseKernel {
    return with_steps<of, T>(a, b);
  });
}

template <class T>
ElementwiseKernel integer_kernel(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  if constexpr (sizeof(T) < 8)  // this Highway has no 64-bit product
    if (fn == mul) return with_steps<mul, T>(a, b);
  return for_fn<add, sub, maximum, minimum, logical_and, logical_or, logical_xor>(
      fn, [&]<BinaryFn of>() -> ElementwiseKernel { return with_steps<of, T>(a, b); });
}

// A bool is a byte 0 or 1.
ElementwiseKernel bool_kernel(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  if (fn == add || fn == maximum) fn = logical_or;
  if (fn == mul || fn == minimum) fn = logical_and;
  return for_fn<logical_or, logical_and, logical_xor>(fn, [&]<BinaryFn of>() -> ElementwiseKernel {
    return with_steps<of, std::uint8_t>(a, b);
  });
}

ElementwiseKernel vector_binary_kernel(BinaryFn fn, Lanes lanes, Stride a, Stride b) {
  switch (lanes) {
    case Lanes::boolean: return bool_kernel(fn, a, b);
    case Lanes::i32: return integer_kernel<std::int32_t>(fn, a, b);
    case Lanes::i64: return integer_kernel<std::int64_t>(fn, a, b);
    case Lanes::f32: return float_kernel<float>(fn, a, b);
    case Lanes::f64: return float_kernel<double>(fn, a, b);
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_binary_kernel);

namespace {

bool minds_the_sign(BinaryFn fn) { return fn == BinaryFn::maximum || fn == BinaryFn::minimum; }

}  // namespace

ElementwiseKernel binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b) {
  ElementwiseKernel kernel = nullptr;
  if (const auto lanes = minds_the_sign(fn) ? lanes_of(dtype) : lanes_of_bits(dtype))
    kernel = HWY_DYNAMIC_DISPATCH(vector_binary_kernel)(fn, *lanes, a, b);
  if (kernel == nullptr) kernel = scalar_binary_kernel(fn, dtype, a, b);
  require(kernel != nullptr, Code::dtype, "{} is not defined for {}; convert the operands to another dtype",
          name(fn), name(dtype));
  return kernel;
}

}  // namespace tutti
#endif
