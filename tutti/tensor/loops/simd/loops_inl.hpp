// SPDX-License-Identifier: Apache-2.0
// Operands and results as vectors, and the loop over them. For the sources of this folder, compiled once per
// instruction set. The tail of a loop runs the same vector code on its first lanes only, so an element's bits
// depend neither on its index nor on n.
#include <hwy/highway.h>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/simd/inline.hpp"

#if defined(TUTTI_TENSOR_LOOPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_LOOPS_INL_HPP
#undef TUTTI_TENSOR_LOOPS_INL_HPP
#else
#define TUTTI_TENSOR_LOOPS_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Element = hn::TFromD<D>;
/// One byte for each lane of D: the lanes of a bool array in a loop over D.
template <class D>
using Bytes = hn::Rebind<std::uint8_t, D>;

/// True if masked loads and stores do not touch the memory of lanes that are masked out.
template <class D>
constexpr bool has_masked_memory = !HWY_MEM_OPS_MIGHT_FAULT || (HWY_CAP_GE256 && sizeof(Element<D>) >= 4);

/// Loads the first `count` lanes; the others are zero.
template <class D>
TUTTI_INLINE hn::Vec<D> load_first(D d, const Element<D>* from, std::size_t count) {
  if constexpr (has_masked_memory<D>) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  } else {
    HWY_ALIGN Element<D> lanes[hn::MaxLanes(d)] = {};
    std::memcpy(lanes, from, count * sizeof(Element<D>));
    return hn::Load(d, lanes);
  }
}

template <class D>
TUTTI_INLINE void store_first(D d, hn::Vec<D> v, Element<D>* to, std::size_t count) {
  if constexpr (has_masked_memory<D>) {
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
  } else {
    HWY_ALIGN Element<D> lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    std::memcpy(to, lanes, count * sizeof(Element<D>));
  }
}

/// True if a vector of D fills a register. Of half a one x86 streams the other half, too.
template <class D>
inline constexpr bool is_whole_vector = sizeof(hn::Vec<D>) == hn::MaxLanes(D()) * sizeof(Element<D>);

/// True if `to` begins a cache line: only there may streaming stores begin.
TUTTI_INLINE bool is_on_line(const std::byte* to) { return reinterpret_cast<std::uintptr_t>(to) % 64 == 0; }

/// The mask of lanes whose byte is not zero.
template <class D>
TUTTI_INLINE hn::Mask<D> mask_of_bytes(D d, hn::Vec<Bytes<D>> bytes) {
  [[maybe_unused]] const hn::RebindToUnsigned<D> du;
  if constexpr (sizeof(Element<D>) == 1) {
    return hn::Ne(bytes, hn::Zero(d));
  } else if constexpr (sizeof(Element<D>) == 4) {
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(du, bytes), hn::Zero(du)));
  } else {
    const hn::Rebind<std::uint32_t, D> d32;
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(du, hn::PromoteTo(d32, bytes)), hn::Zero(du)));
  }
}

/// Bytes 1 where the mask holds, else 0.
template <class D>
TUTTI_INLINE hn::Vec<Bytes<D>> bytes_of_mask(hn::Mask<D> mask) {
  const hn::RebindToUnsigned<D> du;
  const auto ones = hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, 1));
  if constexpr (sizeof(Element<D>) == 1) return ones;
  else return hn::TruncateTo(Bytes<D>(), ones);
}

/// An operand: read vector by vector, or its first element broadcast to all lanes.
template <Stride step, class D>
class Operand {
 public:
  explicit TUTTI_INLINE Operand(const std::byte* bytes)
      : elements_(reinterpret_cast<const Element<D>*>(bytes)), first_(hn::Zero(D())) {
    if constexpr (step == Stride::scalar) first_ = hn::Set(D(), *elements_);
  }
  TUTTI_INLINE hn::Vec<D> at(std::size_t i) const {
    if constexpr (step == Stride::scalar) return first_;
    return hn::LoadU(D(), elements_ + i);
  }
  TUTTI_INLINE hn::Vec<D> at(std::size_t i, std::size_t count) const {
    if constexpr (step == Stride::scalar) return first_;
    return load_first(D(), elements_ + i, count);
  }

 private:
  const Element<D>* elements_;
  hn::Vec<D> first_;
};

/// A bool operand, read as masks for lanes of D.
template <Stride step, class D>
class MaskOperand {
 public:
  explicit TUTTI_INLINE MaskOperand(const std::byte* bytes) : bytes_(bytes) {}
  TUTTI_INLINE hn::Mask<D> at(std::size_t i) const { return mask_of_bytes(D(), bytes_.at(i)); }
  TUTTI_INLINE hn::Mask<D> at(std::size_t i, std::size_t count) const {
    return mask_of_bytes(D(), bytes_.at(i, count));
  }

 private:
  Operand<step, Bytes<D>> bytes_;
};

template <class D>
class Result {
 public:
  explicit TUTTI_INLINE Result(std::byte* bytes) : elements_(reinterpret_cast<Element<D>*>(bytes)) {}
  TUTTI_INLINE void put(std::size_t i, hn::Vec<D> v) const { hn::StoreU(v, D(), elements_ + i); }
  TUTTI_INLINE void put(std::size_t i, hn::Vec<D> v, std::size_t count) const {
    store_first(D(), v, elements_ + i, count);
  }

 private:
  Element<D>* elements_;
};

/// A result that is streamed if `store` says so, `bytes` begins a cache line and vectors are whole.
template <class D>
class StreamableResult {
 public:
  StreamableResult(std::byte* bytes, Store store)
      : elements_(reinterpret_cast<Element<D>*>(bytes)),
        streams_(store == Store::streaming && is_whole_vector<D> && is_on_line(bytes)) {}
  TUTTI_INLINE void put(std::size_t i, hn::Vec<D> v) const {
    if (streams_) hn::Stream(v, D(), elements_ + i);
    else hn::StoreU(v, D(), elements_ + i);
  }
  TUTTI_INLINE void put(std::size_t i, hn::Vec<D> v, std::size_t count) const {
    store_first(D(), v, elements_ + i, count);
  }

 private:
  Element<D>* elements_;
  bool streams_;
};

/// A bool result, written from masks for lanes of D.
template <class D>
class MaskResult {
 public:
  explicit TUTTI_INLINE MaskResult(std::byte* bytes) : bytes_(bytes) {}
  TUTTI_INLINE void put(std::size_t i, hn::Mask<D> mask) const { bytes_.put(i, bytes_of_mask<D>(mask)); }
  TUTTI_INLINE void put(std::size_t i, hn::Mask<D> mask, std::size_t count) const {
    bytes_.put(i, bytes_of_mask<D>(mask), count);
  }

 private:
  Result<Bytes<D>> bytes_;
};

/// out[i] = fn(in[i]..) for i in [first, n): one vector at a time, then the elements that are left.
template <class D, class Out, class Fn, class... In>
TUTTI_INLINE void map_singly(D d, std::size_t first, std::size_t n, const Out& out, const Fn& fn,
                             const In&... in) {
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = first;
  for (; i + lanes <= n; i += lanes) out.put(i, fn(in.at(i)...));
  if constexpr (hn::MaxLanes(d) > 1)
    if (i < n) out.put(i, fn(in.at(i, n - i)...), n - i);
}

/// map_singly from 0, with two vectors in flight: 1.2 times as fast for small bodies (bench/kernels).
template <class D, class Out, class Fn, class... In>
TUTTI_INLINE void map(D d, std::int64_t count, const Out& out, const Fn& fn, const In&... in) {
  const auto n = static_cast<std::size_t>(count);
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (hn::MaxLanes(d) == 1) return map_singly(d, 0, n, out, fn, in...);
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto low = fn(in.at(i)...);
    const auto high = fn(in.at(i + lanes)...);
    out.put(i, low);
    out.put(i + lanes, high);
  }
  // Runs at most twice. A loop over whole vectors and a tail would be one more body to compile.
  for (; i < n; i += lanes) {
    const std::size_t left = n - i < lanes ? n - i : lanes;
    out.put(i, fn(in.at(i, left)...), left);
  }
}

/// The kernel with its two operands exchanged.
template <ElementwiseKernel kernel>
void exchanged(std::byte* out, const std::byte* const* in, std::int64_t n) {
  const std::byte* const operands[] = {in[1], in[0]};
  kernel(out, operands, n);
}

struct Same {
  template <class V>
  TUTTI_INLINE V operator()(V v) const {
    return v;
  }
};

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
