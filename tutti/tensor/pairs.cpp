// SPDX-License-Identifier: Apache-2.0
// Two element functions in one pass: one load and store less per function (1.0-1.3x a hand-fused loop, where
// one function after the other is 1.6-3.2x: substrate, section 4). No multiply-add, so the bits are those of
// two passes.
#include "tutti/base/require.hpp"
#include "tutti/tensor/kernels.hpp"
#include "tutti/tensor/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/pairs.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops_inl.hpp"
#include "tutti/tensor/vector_fn_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// What happens to x = first(a, b) and c. `sub_from` is sub(c, x); the other functions do not care for the
/// order.
enum class Second : std::uint8_t { add, sub, sub_from, mul, maximum, minimum };

template <Second second>
struct ApplySecond {
  template <class V>
  HWY_INLINE V operator()(V x, V c) const {
    if constexpr (second == Second::add) return hn::Add(x, c);
    if constexpr (second == Second::sub) return hn::Sub(x, c);
    if constexpr (second == Second::sub_from) return hn::Sub(c, x);
    if constexpr (second == Second::mul) return hn::Mul(x, c);
    if constexpr (second == Second::maximum) return maximum(x, c);
    if constexpr (second == Second::minimum) return minimum(x, c);
  }
};

template <BinaryFn first, Second second>
struct ApplyBoth {
  template <class V>
  HWY_INLINE V operator()(V a, V b, V c) const {
    return ApplySecond<second>()(binary<first>(a, b), c);
  }
};

template <BinaryFn first, Second second, class T, Step a, Step b, Step c>
void pair_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), ApplyBoth<first, second>(), Operand<a, D>(in[0]), Operand<b, D>(in[1]),
      Operand<c, D>(in[2]));
}

// x is the same for all elements. Kept out of its callers, which differ in `first` only.
template <Second second, class T, Step c>
HWY_NOINLINE void second_loop(std::byte* out, const T& x, const std::byte* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), ApplySecond<second>(),
      Operand<Step::scalar, D>(reinterpret_cast<const std::byte*>(&x)), Operand<c, D>(in));
}

template <BinaryFn first, Second second, class T, Step c>
void second_after_scalar(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::CappedTag<T, 1>;
  T x;
  hn::StoreU(binary<first>(Operand<Step::scalar, D>(in[0]).at(0), Operand<Step::scalar, D>(in[1]).at(0)), D(),
             &x);
  second_loop<second, T, c>(out, x, in[2], n);
}

template <ElementwiseKernel kernel>
void swap_first_two(std::byte* out, const std::byte* const* in, std::int64_t n) {
  const std::byte* const swapped[] = {in[1], in[0], in[2]};
  kernel(out, swapped, n);
}

// One loop serves (scalar, dense) and (dense, scalar) where the order does not matter: a third less to
// compile.
template <BinaryFn first, Second second, class T, Step c>
ElementwiseKernel with_first_steps(Step a, Step b) {
  if (a == Step::dense && b == Step::dense) return pair_loop<first, second, T, Step::dense, Step::dense, c>;
  if (a == Step::dense) return pair_loop<first, second, T, Step::dense, Step::scalar, c>;
  if (b == Step::scalar) return second_after_scalar<first, second, T, c>;
  if constexpr (first == BinaryFn::sub) return pair_loop<first, second, T, Step::scalar, Step::dense, c>;
  else return swap_first_two<pair_loop<first, second, T, Step::dense, Step::scalar, c>>;
}

template <BinaryFn first, Second second, class T>
ElementwiseKernel with_steps(Step a, Step b, Step c) {
  return c == Step::dense ? with_first_steps<first, second, T, Step::dense>(a, b)
                          : with_first_steps<first, second, T, Step::scalar>(a, b);
}

template <BinaryFn first, class T>
ElementwiseKernel with_second(BinaryFn second, bool first_is_right, Step a, Step b, Step c) {
  if (second == BinaryFn::add) return with_steps<first, Second::add, T>(a, b, c);
  if (second == BinaryFn::sub && first_is_right) return with_steps<first, Second::sub_from, T>(a, b, c);
  if (second == BinaryFn::sub) return with_steps<first, Second::sub, T>(a, b, c);
  if (second == BinaryFn::mul) return with_steps<first, Second::mul, T>(a, b, c);
  if (second == BinaryFn::maximum) return with_steps<first, Second::maximum, T>(a, b, c);
  if (second == BinaryFn::minimum) return with_steps<first, Second::minimum, T>(a, b, c);
  return nullptr;
}

template <class T>
ElementwiseKernel with_first(BinaryFn first, BinaryFn second, bool first_is_right, Step a, Step b, Step c) {
  if (first == BinaryFn::add) return with_second<BinaryFn::add, T>(second, first_is_right, a, b, c);
  if (first == BinaryFn::sub) return with_second<BinaryFn::sub, T>(second, first_is_right, a, b, c);
  if (first == BinaryFn::mul) return with_second<BinaryFn::mul, T>(second, first_is_right, a, b, c);
  if (first == BinaryFn::maximum) return with_second<BinaryFn::maximum, T>(second, first_is_right, a, b, c);
  if (first == BinaryFn::minimum) return with_second<BinaryFn::minimum, T>(second, first_is_right, a, b, c);
  return nullptr;
}

ElementwiseKernel vector_pair_kernel(BinaryFn first, BinaryFn second, bool first_is_right, DType dtype,
                                     Step a, Step b, Step c) {
  if (dtype == DType::f32) return with_first<float>(first, second, first_is_right, a, b, c);
  if (dtype == DType::f64) return with_first<double>(first, second, first_is_right, a, b, c);
  if (first == BinaryFn::maximum && second == BinaryFn::minimum) {  // clamp
    if (dtype == DType::i32) return with_steps<BinaryFn::maximum, Second::minimum, std::int32_t>(a, b, c);
    if (dtype == DType::i64) return with_steps<BinaryFn::maximum, Second::minimum, std::int64_t>(a, b, c);
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_pair_kernel);

ElementwiseKernel pair_kernel(BinaryFn first, BinaryFn second, bool first_is_right, DType dtype, Step a,
                              Step b, Step c) {
  return HWY_DYNAMIC_DISPATCH(vector_pair_kernel)(first, second, first_is_right, dtype, a, b, c);
}

ElementwiseKernel clamp_kernel(DType dtype, Step low, Step x, Step high) {
  ElementwiseKernel kernel = pair_kernel(BinaryFn::maximum, BinaryFn::minimum, false, dtype, low, x, high);
  if (kernel == nullptr) kernel = scalar_clamp_kernel(dtype, low, x, high);
  require(kernel != nullptr, Code::dtype,
          "clamp is not defined for {}; convert the operands to another dtype", name(dtype));
  return kernel;
}

}  // namespace tutti
#endif
