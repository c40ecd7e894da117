// SPDX-License-Identifier: Apache-2.0
// The steps of a chain. For the sources of this room, compiled once per instruction set. The values stay in
// registers from step to step: a switch over the step for many vectors costs less than to store and reload
// them.
#include <hwy/highway.h>
#include <cstdint>

#include "tutti/tensor/loops/simd/half_inl.hpp"
#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/vector_fn_inl.hpp"

#if defined(TUTTI_TENSOR_CHAINS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_CHAINS_INL_HPP
#undef TUTTI_TENSOR_CHAINS_INL_HPP
#else
#define TUTTI_TENSOR_CHAINS_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// A format of elements: stored in the type in which they are computed.
template <class Tag>
struct Plain {
  using D = Tag;
  using Stored = Element<D>;
  static constexpr bool rounds = false;
  static TUTTI_INLINE hn::Vec<D> load(const Stored* from) { return hn::LoadU(D(), from); }
  static TUTTI_INLINE hn::Vec<D> load(const Stored* from, std::size_t count) {
    return load_first(D(), from, count);
  }
  static TUTTI_INLINE hn::Vec<D> all(Stored element) { return hn::Set(D(), element); }
  static TUTTI_INLINE void store(hn::Vec<D> v, Stored* to) { hn::StoreU(v, D(), to); }
  static TUTTI_INLINE void store(hn::Vec<D> v, Stored* to, std::size_t count) {
    store_first(D(), v, to, count);
  }
  static TUTTI_INLINE void stream(hn::Vec<D> v, Stored* to) { hn::Stream(v, D(), to); }
};

/// A format of elements: stored as f16 or bf16, computed in f32, rounded after each step.
template <class H>
struct Wide {
  using D = Floats;
  using Stored = std::uint16_t;
  static constexpr bool rounds = true;
  static TUTTI_INLINE hn::Vec<D> load(const Stored* from) { return Widen<H>()(hn::LoadU(Halves(), from)); }
  static TUTTI_INLINE hn::Vec<D> load(const Stored* from, std::size_t count) {
    return Widen<H>()(load_first(Halves(), from, count));
  }
  static TUTTI_INLINE hn::Vec<D> all(Stored element) { return Widen<H>()(hn::Set(Halves(), element)); }
  static TUTTI_INLINE hn::Vec<D> rounded(hn::Vec<D> v) { return Widen<H>()(Round<H>()(v)); }
  static TUTTI_INLINE void store(hn::Vec<D> v, Stored* to) { hn::StoreU(Round<H>()(v), Halves(), to); }
  static TUTTI_INLINE void store(hn::Vec<D> v, Stored* to, std::size_t count) {
    store_first(Halves(), Round<H>()(v), to, count);
  }
  static TUTTI_INLINE void stream(hn::Vec<D> v, Stored* to) {
    if constexpr (is_whole_vector<Halves>) hn::Stream(Round<H>()(v), Halves(), to);
    else store(v, to);
  }
};

/// An operand's elements, beginning at `from`. The vectors below take them one vector at a time.
template <class Format>
struct Elements {
  using Vec = hn::Vec<typename Format::D>;
  TUTTI_INLINE Vec first() const { return Format::load(from); }
  TUTTI_INLINE Vec first(std::size_t count) const { return Format::load(from, count); }
  TUTTI_INLINE Elements after(std::size_t vectors) const {
    return {from + vectors * hn::Lanes(typename Format::D())};
  }
  static TUTTI_INLINE Elements at(const std::byte* from) {
    return {reinterpret_cast<const typename Format::Stored*>(from)};
  }
  const typename Format::Stored* from;
};
/// An operand that repeats: one element for all lanes.
template <class Format>
struct Repeated {
  using Vec = hn::Vec<typename Format::D>;
  TUTTI_INLINE Vec first() const { return element; }
  TUTTI_INLINE Vec first(std::size_t) const { return element; }
  TUTTI_INLINE Repeated after(std::size_t) const { return *this; }
  static TUTTI_INLINE Repeated at(const std::byte* from) {
    return {Format::all(*reinterpret_cast<const typename Format::Stored*>(from))};
  }
  Vec element;
};

template <class F>
struct Whole {
  using Format = F;
  static constexpr std::size_t vectors = 1;
  static TUTTI_INLINE Whole zero() { return {hn::Zero(typename Format::D())}; }
  template <class Y, class Fn>
  TUTTI_INLINE Whole with(const Y& y, const Fn& fn) const {
    return {fn(lanes, y.first())};
  }
  template <class Fn>
  TUTTI_INLINE Whole with(const Whole& y, const Fn& fn) const {
    return {fn(lanes, y.lanes)};
  }
  TUTTI_INLINE Whole rounded() const { return {Format::rounded(lanes)}; }
  TUTTI_INLINE void store(typename Format::Stored* to) const { Format::store(lanes, to); }
  TUTTI_INLINE void stream(typename Format::Stored* to) const { Format::stream(lanes, to); }
  hn::Vec<typename Format::D> lanes;
};

template <class Half>
struct Twice {
  using Format = typename Half::Format;
  static constexpr std::size_t vectors = 2 * Half::vectors;
  static TUTTI_INLINE Twice zero() { return {Half::zero(), Half::zero()}; }
  template <class Y, class Fn>
  TUTTI_INLINE Twice with(const Y& y, const Fn& fn) const {
    return {low.with(y, fn), high.with(y.after(Half::vectors), fn)};
  }
  template <class Fn>
  TUTTI_INLINE Twice with(const Twice& y, const Fn& fn) const {
    return {low.with(y.low, fn), high.with(y.high, fn)};
  }
  TUTTI_INLINE Twice rounded() const { return {low.rounded(), high.rounded()}; }
  TUTTI_INLINE void store(typename Format::Stored* to) const {
    low.store(to);
    high.store(to + Half::vectors * hn::Lanes(typename Format::D()));
  }
  TUTTI_INLINE void stream(typename Format::Stored* to) const {
    low.stream(to);
    high.stream(to + Half::vectors * hn::Lanes(typename Format::D()));
  }
  Half low, high;
};
template <class Format>
using Four = Twice<Twice<Whole<Format>>>;

/// The first `count` lanes of one vector.
template <class F>
struct Part {
  using Format = F;
  template <class Y, class Fn>
  TUTTI_INLINE Part with(const Y& y, const Fn& fn) const {
    return {fn(lanes, y.first(count)), count};
  }
  template <class Fn>
  TUTTI_INLINE Part with(const Part& y, const Fn& fn) const {
    return {fn(lanes, y.lanes), count};
  }
  TUTTI_INLINE Part rounded() const { return {Format::rounded(lanes), count}; }
  TUTTI_INLINE void store(typename Format::Stored* to) const { Format::store(lanes, to, count); }
  hn::Vec<typename Format::D> lanes;
  std::size_t count;
};

template <ChainStep::Fn fn>
struct ApplyStep {
  template <class V>
  TUTTI_INLINE V operator()(V x, V y) const {
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
TUTTI_INLINE Vectors after(ChainStep::Fn fn, const Vectors& x, const Y& y) {
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

/// Runs the steps on the elements from i on. `x` only says how many: the first step, take, replaces its
/// lanes.
template <class Vectors>
TUTTI_INLINE Vectors after_steps(const std::byte* const* in, Steps chain, std::size_t i, Vectors x) {
  using Format = typename Vectors::Format;
  for (int s = 0; s < chain.count; ++s) {
    const ChainStep step = chain.steps[s];
    const auto* elements = reinterpret_cast<const typename Format::Stored*>(in[s]);
    x = step.repeats ? after(step.fn, x, Repeated<Format>{Format::all(*elements)})
                     : after(step.fn, x, Elements<Format>{elements + i});
    if constexpr (Format::rounds)
      if (s > 0) x = x.rounded();
  }
  return x;
}

/// Steps that may put x aside.
struct StepsWithAside {
  const ChainStep* steps;
  int count;
};

template <class Vectors>
TUTTI_INLINE Vectors after_steps(const std::byte* const* in, StepsWithAside chain, std::size_t i, Vectors x) {
  using Format = typename Vectors::Format;
  Vectors aside = x;
  for (int s = 0; s < chain.count; ++s) {
    const ChainStep step = chain.steps[s];
    if (step.aside == ChainStep::Aside::put) aside = x;
    const auto* elements = reinterpret_cast<const typename Format::Stored*>(in[s]);
    if (step.aside == ChainStep::Aside::join) x = after(step.fn, x, aside);
    else if (step.repeats) x = after(step.fn, x, Repeated<Format>{Format::all(*elements)});
    else x = after(step.fn, x, Elements<Format>{elements + i});
  }
  return x;
}

/// Runs the steps on `count` elements from i on and stores the results: first by four vectors, then by one.
template <class Format, class Chain>
TUTTI_INLINE void store_steps(const std::byte* const* in, Chain chain, std::size_t i, std::size_t count,
                              typename Format::Stored* to) {
  const typename Format::D d;
  const std::size_t lanes = hn::Lanes(d);
  for (; count >= 4 * lanes; i += 4 * lanes, count -= 4 * lanes, to += 4 * lanes)
    after_steps(in, chain, i, Four<Format>::zero()).store(to);
  for (std::size_t left = 0; count > 0; i += left, count -= left, to += left) {
    left = count < lanes ? count : lanes;
    after_steps(in, chain, i, Part<Format>{hn::Zero(d), left}).store(to);
  }
}

/// Streams the results of elements i .. n, as long as `Vectors` are filled. Returns the first element that is
/// left.
template <class Vectors, class Chain>
TUTTI_INLINE std::size_t stream_steps(const std::byte* const* in, Chain chain, std::size_t i, std::size_t n,
                                      typename Vectors::Format::Stored* to) {
  const std::size_t step = Vectors::vectors * hn::Lanes(typename Vectors::Format::D());
  for (; i + step <= n; i += step) after_steps(in, chain, i, Vectors::zero()).stream(to + i);
  return i;
}

/// True if the results lie over an operand: elements that are computed twice would have the wrong bits.
inline bool is_over_operand(const std::byte* out, const std::byte* const* in, int count) {
  for (int s = 0; s < count; ++s)
    if (in[s] == out) return true;
  return false;
}

/// A ChainKernel; an iteration takes `Many` vectors.
template <class Many, class Chain>
void chain_loop(std::byte* out, const std::byte* const* in, const ChainStep* steps, int count,
                std::int64_t elements, Store store) {
  using Format = typename Many::Format;
  const Chain chain{steps, count};
  const std::size_t many = Many::vectors * hn::Lanes(typename Format::D()),
                    n = static_cast<std::size_t>(elements);
  auto* to = reinterpret_cast<typename Format::Stored*>(out);
  std::size_t i = 0;
  if (store == Store::streaming && is_on_line(out)) {
    i = stream_steps<Many>(in, chain, i, n, to);
    i = stream_steps<Four<Format>>(in, chain, i, n, to);
  }
  for (; i + many <= n; i += many) after_steps(in, chain, i, Many::zero()).store(to + i);
  // The last elements: some are computed twice, which takes less time than vector by vector.
  if (const std::size_t left = n - i; left > many / 4 && n >= many && !is_over_operand(out, in, count))
    return after_steps(in, chain, n - many, Many::zero()).store(to + (n - many));
  store_steps<Format>(in, chain, i, n - i, to + i);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
