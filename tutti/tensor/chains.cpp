// SPDX-License-Identifier: Apache-2.0
// Several element functions in one pass (bench/kernels has the times).
#include "tutti/tensor/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/chains.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/chains_inl.hpp"
#include "tutti/tensor/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <class T>
void chain_loop(std::byte* out, const std::byte* const* in, const ChainStep* steps, int count,
                std::int64_t elements, Store store) {
  using D = hn::ScalableTag<T>;
  const Steps chain{steps, count};
  const std::size_t lanes = hn::Lanes(D()), n = static_cast<std::size_t>(elements);
  auto* to = reinterpret_cast<T*>(out);
  std::size_t i = 0;
  if (store == Store::streaming && is_on_line(out))
    for (; i + 8 * lanes <= n; i += 8 * lanes) after_steps<Eight<D>>(in, chain, i, lanes).stream(to + i);
  for (; i + 8 * lanes <= n; i += 8 * lanes) after_steps<Eight<D>>(in, chain, i, lanes).store(to + i, lanes);
  store_steps<D>(in, chain, i, n - i, to + i);
}

ChainKernel vector_chain_kernel(DType dtype) {
  if (dtype == DType::f32) return chain_loop<float>;
  return dtype == DType::f64 ? chain_loop<double> : nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_chain_kernel);

ChainKernel chain_kernel(DType dtype) { return HWY_DYNAMIC_DISPATCH(vector_chain_kernel)(dtype); }

std::optional<ChainStep::Fn> chain_fn(BinaryFn fn, bool x_is_right) {
  using enum ChainStep::Fn;
  switch (fn) {
    case BinaryFn::add: return x_is_right ? add_to : add;
    case BinaryFn::sub: return x_is_right ? sub_from : sub;
    case BinaryFn::mul: return x_is_right ? mul_into : mul;
    case BinaryFn::div: return x_is_right ? div_into : div;
    case BinaryFn::maximum: return maximum;
    case BinaryFn::minimum: return minimum;
    case BinaryFn::pow:
    case BinaryFn::rem:
    case BinaryFn::atan2:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::shift_left:
    case BinaryFn::shift_right_arithmetic:
    case BinaryFn::shift_right_logical:
    case BinaryFn::complex: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ChainStep::Fn> chain_fn(CompareDirection gate) {
  using enum ChainStep::Fn;
  switch (gate) {
    case CompareDirection::lt: return limit_if_lt;
    case CompareDirection::le: return limit_if_le;
    case CompareDirection::gt: return limit_if_gt;
    case CompareDirection::ge: return limit_if_ge;
    case CompareDirection::eq:
    case CompareDirection::ne: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tutti
#endif
