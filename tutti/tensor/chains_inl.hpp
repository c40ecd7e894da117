// SPDX-License-Identifier: Apache-2.0
// For the sources of this folder, compiled once per instruction set: the steps of a chain, chosen for as many vectors
// at a time as registers hold: that costs less than to store them and load them again.
#include <hwy/highway.h>
#include <type_traits>

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

/// The elements of an operand from a place on, as the vectors below take them one by one.
template <class D>
struct Elements {
  HWY_INLINE hn::Vec<D> first() const { return hn::LoadU(D(), from); }
  HWY_INLINE hn::Vec<D> first(std::size_t count) const { return load_first(D(), from, count); }
  HWY_INLINE Elements after(std::size_t vectors) const { return {from + vectors * hn::Lanes(D())}; }
  const Element<D>* from;
};
/// An element for all.
template <class D>
struct Repeated {
  HWY_INLINE hn::Vec<D> first() const { return element; }
  HWY_INLINE hn::Vec<D> first(std::size_t) const { return element; }
  HWY_INLINE Repeated after(std::size_t) const { return *this; }
  hn::Vec<D> element;
};

template <class Tag>
struct Whole {
  using D = Tag;
  static constexpr std::size_t vectors = 1;
  template <class Y>
  static HWY_INLINE Whole of(const Y& y) {
    return {y.first()};
  }
  template <class Y, class Fn>
  HWY_INLINE Whole with(const Y& y, const Fn& fn) const {
    return {fn(lanes, y.first())};
  }
  HWY_INLINE void store(Element<D>* to) const { hn::StoreU(lanes, D(), to); }
  HWY_INLINE void stream(Element<D>* to) const { hn::Stream(lanes, D(), to); }
  hn::Vec<D> lanes;
};

template <class Half>
struct Twice {
  using D = typename Half::D;
  static constexpr std::size_t vectors = 2 * Half::vectors;
  template <class Y>
  static HWY_INLINE Twice of(const Y& y) {
    return {Half::of(y), Half::of(y.after(Half::vectors))};
  }
  template <class Y, class Fn>
  HWY_INLINE Twice with(const Y& y, const Fn& fn) const {
    return {low.with(y, fn), high.with(y.after(Half::vectors), fn)};
  }
  HWY_INLINE void store(Element<D>* to) const {
    low.store(to);
    high.store(to + Half::vectors * hn::Lanes(D()));
  }
  HWY_INLINE void stream(Element<D>* to) const {
    low.stream(to);
    high.stream(to + Half::vectors * hn::Lanes(D()));
  }
  Half low, high;
};
template <class D>
using Four = Twice<Twice<Whole<D>>>;
/// As many as registers hold beside what a function needs: each choice of a step serves more elements.
template <class D>
using Many = std::conditional_t<HWY_TARGET <= HWY_AVX3, Twice<Twice<Four<D>>>, Twice<Four<D>>>;

/// The first `count` lanes of one vector.
template <class Tag>
struct Part {
  using D = Tag;
  template <class Y, class Fn>
  HWY_INLINE Part with(const Y& y, const Fn& fn) const {
    return {fn(lanes, y.first(count)), count};
  }
  HWY_INLINE void store(Element<D>* to) const { store_first(D(), lanes, to, count); }
  hn::Vec<D> lanes;
  std::size_t count;
};

template <ChainStep::Fn fn>
struct ApplyStep {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    using enum ChainStep::Fn;
    if constexpr (fn == take) return y;
    if constexpr (fn == add) return binary<BinaryFn::add>(x, y);
    if constexpr (fn == add_to) return binary<BinaryFn::add>(y, x);
    if constexpr (fn == sub) return binary<BinaryFn::sub>(x, y);
    if constexpr (fn == sub_from) return binary<BinaryFn::sub>(y, x);
    if constexpr (fn == mul) return binary<BinaryFn::mul>(x, y);
    if constexpr (fn == mul_into) return binary<BinaryFn::mul>(y, x);
    if constexpr (fn == div) return binary<BinaryFn::div>(x, y);
    if constexpr (fn == div_into) return binary<BinaryFn::div>(y, x);
    if constexpr (fn == maximum) return binary<BinaryFn::maximum>(x, y);
    if constexpr (fn == minimum) return binary<BinaryFn::minimum>(x, y);
    if constexpr (fn == square) return binary<BinaryFn::mul>(x, x);
    if constexpr (fn == limit_if_lt) return hn::IfThenElse(compare<CompareDirection::lt>(x, y), y, x);
    if constexpr (fn == limit_if_le) return hn::IfThenElse(compare<CompareDirection::le>(x, y), y, x);
    if constexpr (fn == limit_if_gt) return hn::IfThenElse(compare<CompareDirection::gt>(x, y), y, x);
    if constexpr (fn == limit_if_ge) return hn::IfThenElse(compare<CompareDirection::ge>(x, y), y, x);
  }
};

template <class Vectors, class Y>
HWY_INLINE Vectors after(ChainStep::Fn fn, const Vectors& x, const Y& y) {
  using enum ChainStep::Fn;
  switch (fn) {
    case take: return x.with(y, ApplyStep<take>());
    case add: return x.with(y, ApplyStep<add>());
    case add_to: return x.with(y, ApplyStep<add_to>());
    case sub: return x.with(y, ApplyStep<sub>());
    case sub_from: return x.with(y, ApplyStep<sub_from>());
    case mul: return x.with(y, ApplyStep<mul>());
    case mul_into: return x.with(y, ApplyStep<mul_into>());
    case div: return x.with(y, ApplyStep<div>());
    case div_into: return x.with(y, ApplyStep<div_into>());
    case maximum: return x.with(y, ApplyStep<maximum>());
    case minimum: return x.with(y, ApplyStep<minimum>());
    case square: return x.with(y, ApplyStep<square>());
    case limit_if_lt: return x.with(y, ApplyStep<limit_if_lt>());
    case limit_if_le: return x.with(y, ApplyStep<limit_if_le>());
    case limit_if_gt: return x.with(y, ApplyStep<limit_if_gt>());
    case limit_if_ge: return x.with(y, ApplyStep<limit_if_ge>());
  }
  return x;
}

struct Steps {
  const ChainStep* steps;
  int count;
};

/// What the steps make of the elements from i on, as many as `x` has, whatever these are.
template <class Vectors>
HWY_INLINE Vectors after_steps(const std::byte* const* in, Steps chain, std::size_t i, Vectors x) {
  using D = typename Vectors::D;
  for (int s = 0; s < chain.count; ++s) {
    const ChainStep step = chain.steps[s];
    const auto* elements = reinterpret_cast<const Element<D>*>(in[s]);
    x = step.repeats ? after(step.fn, x, Repeated<D>{hn::Set(D(), *elements)})
                     : after(step.fn, x, Elements<D>{elements + i});
  }
  return x;
}

template <class Vectors>
HWY_INLINE Vectors after_steps(const std::byte* const* in, Steps chain, std::size_t i) {
  using D = typename Vectors::D;
  return after_steps(in, chain, i, Vectors::of(Repeated<D>{hn::Zero(D())}));
}

/// What the steps make of `count` elements from i on, by four vectors and the rest.
template <class D>
HWY_INLINE void store_steps(const std::byte* const* in, Steps chain, std::size_t i, std::size_t count,
                            Element<D>* to) {
  const std::size_t lanes = hn::Lanes(D());
  for (; count >= 4 * lanes; i += 4 * lanes, count -= 4 * lanes, to += 4 * lanes)
    after_steps<Four<D>>(in, chain, i).store(to);
  for (std::size_t left = 0; count > 0; i += left, count -= left, to += left) {
    left = count < lanes ? count : lanes;
    after_steps(in, chain, i, Part<D>{hn::Zero(D()), left}).store(to);
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
