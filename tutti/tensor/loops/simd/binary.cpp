// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/access.hpp"
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
  switch (fn) {
    case BinaryFn::add: return with_steps<BinaryFn::add, T>(a, b);
    case BinaryFn::sub: return with_steps<BinaryFn::sub, T>(a, b);
    case BinaryFn::mul: return with_steps<BinaryFn::mul, T>(a, b);
    case BinaryFn::div: return with_steps<BinaryFn::div, T>(a, b);
    case BinaryFn::maximum: return with_steps<BinaryFn::maximum, T>(a, b);
    case BinaryFn::minimum: return with_steps<BinaryFn::minimum, T>(a, b);
    case BinaryFn::pow:
    case BinaryFn::rem:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::atan2:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical:
    case BinaryFn::complex: return nullptr;
  }
  return nullptr;
}

template <class T>
ElementwiseKernel integer_kernel(BinaryFn fn, Stride a, Stride b) {
  switch (fn) {
    case BinaryFn::add: return with_steps<BinaryFn::add, T>(a, b);
    case BinaryFn::sub: return with_steps<BinaryFn::sub, T>(a, b);
    case BinaryFn::mul:
      if constexpr (sizeof(T) == 8) return nullptr;  // this Highway has no 64-bit product
      else return with_steps<BinaryFn::mul, T>(a, b);
    case BinaryFn::maximum: return with_steps<BinaryFn::maximum, T>(a, b);
    case BinaryFn::minimum: return with_steps<BinaryFn::minimum, T>(a, b);
    case BinaryFn::logical_and: return with_steps<BinaryFn::logical_and, T>(a, b);
    case BinaryFn::logical_or: return with_steps<BinaryFn::logical_or, T>(a, b);
    case BinaryFn::logical_xor: return with_steps<BinaryFn::logical_xor, T>(a, b);
    case BinaryFn::div:
    case BinaryFn::pow:
    case BinaryFn::rem:
    case BinaryFn::atan2:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical:
    case BinaryFn::complex: return nullptr;
  }
  return nullptr;
}

// A bool is a byte 0 or 1.
ElementwiseKernel bool_kernel(BinaryFn fn, Stride a, Stride b) {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::maximum:
    case BinaryFn::logical_or: return with_steps<BinaryFn::logical_or, std::uint8_t>(a, b);
    case BinaryFn::mul:
    case BinaryFn::minimum:
    case BinaryFn::logical_and: return with_steps<BinaryFn::logical_and, std::uint8_t>(a, b);
    case BinaryFn::logical_xor: return with_steps<BinaryFn::logical_xor, std::uint8_t>(a, b);
    case BinaryFn::sub:
    case BinaryFn::div:
    case BinaryFn::pow:
    case BinaryFn::rem:
    case BinaryFn::atan2:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical:
    case BinaryFn::complex: return nullptr;
  }
  return nullptr;
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
