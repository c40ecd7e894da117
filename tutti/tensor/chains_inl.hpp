// SPDX-License-Identifier: Apache-2.0
// For the sources of this folder, compiled once per instruction set: the steps of a chain, chosen for as many vectors
// at a time as registers hold: that costs less than to store them and load them again.
#include <hwy/highway.h>

#include "tutti/tensor/loops_inl.hpp"
#include "tutti/tensor/vector_fn_inl.hpp"

#if defined(TUTTI_TENSOR_CHAINS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_CHAINS_INL_HPP
#undef TUTTI_TENSOR_CHAINS_INL_HPP
#else
#define TUTTI_TENSOR_CHAINS_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <class Tag>
struct Four {
  using D = Tag;
  using Vec = hn::Vec<D>;
  static HWY_INLINE Four load(const Element<D>* from, std::size_t) {
    const D d;
    const std::size_t n = hn::Lanes(d);
    return {hn::LoadU(d, from), hn::LoadU(d, from + n), hn::LoadU(d, from + 2 * n),
            hn::LoadU(d, from + 3 * n)};
  }
  static HWY_INLINE Four all(Vec v) { return {v, v, v, v}; }
  HWY_INLINE void store(Element<D>* to, std::size_t) const {
    const D d;
    const std::size_t n = hn::Lanes(d);
    hn::StoreU(first, d, to);
    hn::StoreU(second, d, to + n);
    hn::StoreU(third, d, to + 2 * n);
    hn::StoreU(fourth, d, to + 3 * n);
  }
  HWY_INLINE void stream(Element<D>* to) const {
    const D d;
    const std::size_t n = hn::Lanes(d);
    hn::Stream(first, d, to);
    hn::Stream(second, d, to + n);
    hn::Stream(third, d, to + 2 * n);
    hn::Stream(fourth, d, to + 3 * n);
  }
  template <class Fn>
  HWY_INLINE Four with(const Four& y, const Fn& fn) const {
    return {fn(first, y.first), fn(second, y.second), fn(third, y.third), fn(fourth, y.fourth)};
  }
  Vec first, second, third, fourth;
};

template <class Tag>
struct Eight {
  using D = Tag;
  using Vec = hn::Vec<D>;
  static HWY_INLINE Eight load(const Element<D>* from, std::size_t count) {
    return {Four<D>::load(from, count), Four<D>::load(from + 4 * hn::Lanes(D()), count)};
  }
  static HWY_INLINE Eight all(Vec v) { return {Four<D>::all(v), Four<D>::all(v)}; }
  HWY_INLINE void store(Element<D>* to, std::size_t count) const {
    low.store(to, count);
    high.store(to + 4 * hn::Lanes(D()), count);
  }
  HWY_INLINE void stream(Element<D>* to) const {
    low.stream(to);
    high.stream(to + 4 * hn::Lanes(D()));
  }
  template <class Fn>
  HWY_INLINE Eight with(const Eight& y, const Fn& fn) const {
    return {low.with(y.low, fn), high.with(y.high, fn)};
  }
  Four<D> low, high;
};

/// The first `count` lanes of one vector.
template <class Tag>
struct Part {
  using D = Tag;
  using Vec = hn::Vec<D>;
  static HWY_INLINE Part load(const Element<D>* from, std::size_t count) {
    return {load_first(D(), from, count)};
  }
  static HWY_INLINE Part all(Vec v) { return {v}; }
  HWY_INLINE void store(Element<D>* to, std::size_t count) const { store_first(D(), lanes, to, count); }
  template <class Fn>
  HWY_INLINE Part with(const Part& y, const Fn& fn) const {
    return {fn(lanes, y.lanes)};
  }
  Vec lanes;
};

template <BinaryFn fn>
struct ApplyFrom {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return binary<fn>(y, x);
  }
};

template <CompareDirection direction>
struct LimitIf {
  template <class V>
  HWY_INLINE V operator()(V x, V limit) const {
    return hn::IfThenElse(compare<direction>(x, limit), limit, x);
  }
};

template <class Vectors>
HWY_INLINE Vectors after(ChainStep::Fn fn, const Vectors& x, const Vectors& y) {
  using enum ChainStep::Fn;
  switch (fn) {
    case take: return y;
    case add: return x.with(y, Apply<BinaryFn::add>());
    case add_to: return x.with(y, ApplyFrom<BinaryFn::add>());
    case sub: return x.with(y, Apply<BinaryFn::sub>());
    case sub_from: return x.with(y, ApplyFrom<BinaryFn::sub>());
    case mul: return x.with(y, Apply<BinaryFn::mul>());
    case mul_into: return x.with(y, ApplyFrom<BinaryFn::mul>());
    case div: return x.with(y, Apply<BinaryFn::div>());
    case div_into: return x.with(y, ApplyFrom<BinaryFn::div>());
    case maximum: return x.with(y, Apply<BinaryFn::maximum>());
    case minimum: return x.with(y, Apply<BinaryFn::minimum>());
    case square: return x.with(x, Apply<BinaryFn::mul>());
    case limit_if_lt: return x.with(y, LimitIf<CompareDirection::lt>());
    case limit_if_le: return x.with(y, LimitIf<CompareDirection::le>());
    case limit_if_gt: return x.with(y, LimitIf<CompareDirection::gt>());
    case limit_if_ge: return x.with(y, LimitIf<CompareDirection::ge>());
  }
  return x;
}

struct Steps {
  const ChainStep* steps;
  int count;
};

/// What the steps make of the elements from i on: all lanes, or of a Part the first `lanes`.
template <class Vectors>
HWY_INLINE Vectors after_steps(const std::byte* const* in, Steps chain, std::size_t i, std::size_t lanes) {
  const typename Vectors::D d;
  Vectors x = Vectors::all(hn::Zero(d));
  for (int s = 0; s < chain.count; ++s) {
    const ChainStep step = chain.steps[s];
    auto* operand = reinterpret_cast<const Element<typename Vectors::D>*>(in[s]);
    x = after(step.fn, x,
              step.repeats ? Vectors::all(hn::Set(d, *operand)) : Vectors::load(operand + i, lanes));
  }
  return x;
}

/// What the steps make of `count` elements from i on, by four vectors and the rest.
template <class D>
HWY_INLINE void store_steps(const std::byte* const* in, Steps chain, std::size_t i, std::size_t count,
                            Element<D>* to) {
  const std::size_t lanes = hn::Lanes(D());
  for (; count >= 4 * lanes; i += 4 * lanes, count -= 4 * lanes, to += 4 * lanes)
    after_steps<Four<D>>(in, chain, i, lanes).store(to, lanes);
  for (std::size_t left = 0; count > 0; i += left, count -= left, to += left) {
    left = count < lanes ? count : lanes;
    after_steps<Part<D>>(in, chain, i, left).store(to, left);
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
