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
  const std::size_t many = Many<D>::vectors * hn::Lanes(D()), n = static_cast<std::size_t>(elements);
  auto* to = reinterpret_cast<T*>(out);
  std::size_t i = 0;
  if (store == Store::streaming && is_on_line(out))
    for (; i + many <= n; i += many) after_steps<Many<D>>(in, chain, i).stream(to + i);
  for (; i + many <= n; i += many) after_steps<Many<D>>(in, chain, i).store(to + i);
  store_steps<D>(in, chain, i, n - i, to + i);
}

// Two functions are the most frequent chain. Chosen again and again they would take 1.2 times as long.
template <class T, ChainStep::Fn first, ChainStep::Fn second, Step a, Step b, Step c>
void pair_loop(std::byte* out, const std::byte* const* in, const ChainStep* steps, int count, std::int64_t n,
               Store store) {
  using D = hn::ScalableTag<T>;
  if (store == Store::streaming) return chain_loop<T>(out, in, steps, count, n, store);
  const auto both = [](auto x, auto y, auto z)
                        HWY_ATTR { return ApplyStep<second>()(ApplyStep<first>()(x, y), z); };
  map(D(), n, Result<D>(out), both, Operand<a, D>(in[0]), Operand<b, D>(in[1]), Operand<c, D>(in[2]));
}

template <class T, ChainStep::Fn first, ChainStep::Fn second, Step c>
ChainKernel pair_of(bool a_repeats, bool b_repeats) {
  if (a_repeats && b_repeats) return nullptr;
  if (a_repeats) return pair_loop<T, first, second, Step::scalar, Step::dense, c>;
  return b_repeats ? pair_loop<T, first, second, Step::dense, Step::scalar, c>
                   : pair_loop<T, first, second, Step::dense, Step::dense, c>;
}

template <class T, ChainStep::Fn first, ChainStep::Fn second>
ChainKernel pair_of(std::span<const ChainStep> steps) {
  const bool a = steps[0].repeats, b = steps[1].repeats;
  return steps[2].repeats ? pair_of<T, first, second, Step::scalar>(a, b)
                          : pair_of<T, first, second, Step::dense>(a, b);
}

template <class T, ChainStep::Fn first>
ChainKernel pair_with(std::span<const ChainStep> steps) {
  using enum ChainStep::Fn;
  if (steps[2].fn == add) return pair_of<T, first, add>(steps);
  if (steps[2].fn == add_to) return pair_of<T, first, add_to>(steps);
  if (steps[2].fn == sub) return pair_of<T, first, sub>(steps);
  if (steps[2].fn == sub_from) return pair_of<T, first, sub_from>(steps);
  if (steps[2].fn == mul) return pair_of<T, first, mul>(steps);
  if (steps[2].fn == mul_into) return pair_of<T, first, mul_into>(steps);
  return nullptr;
}

template <class T>
ChainKernel chain_of(std::span<const ChainStep> steps) {
  using enum ChainStep::Fn;
  ChainKernel pair = nullptr;
  if (steps.size() == 3) {
    if (steps[1].fn == add) pair = pair_with<T, add>(steps);
    if (steps[1].fn == sub) pair = pair_with<T, sub>(steps);
    if (steps[1].fn == mul) pair = pair_with<T, mul>(steps);
  }
  return pair ? pair : chain_loop<T>;
}

ChainKernel vector_chain_kernel(DType dtype, std::span<const ChainStep> steps) {
  if (dtype == DType::f32) return chain_of<float>(steps);
  return dtype == DType::f64 ? chain_of<double>(steps) : nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_chain_kernel);

ChainKernel chain_kernel(DType dtype, std::span<const ChainStep> steps) {
  return HWY_DYNAMIC_DISPATCH(vector_chain_kernel)(dtype, steps);
}

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
