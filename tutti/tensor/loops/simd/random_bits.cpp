// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/random_bits.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/random_bits.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

using Words = hn::ScalableTag<std::uint32_t>;
using Word = hn::Vec<Words>;

struct Pair {
  Word a, b;
};

/// Vectors in flight. A round waits for the round before, so a vector alone would leave units idle.
struct Four {
  static constexpr std::size_t vectors = 4;
  template <class F>
  TUTTI_INLINE void each(const F& f) {
    f(one), f(two), f(three), f(four);
  }
  Pair one, two, three, four;
};

template <int rotation>
struct Round {
  TUTTI_INLINE void operator()(Pair& x) const {
    x.a = hn::Add(x.a, x.b);
    x.b = hn::Xor(x.a, hn::RotateRight<32 - rotation>(x.b));
  }
};

struct AddKey {
  TUTTI_INLINE AddKey(std::uint32_t to_a, std::uint32_t to_b)
      : a(hn::Set(Words(), to_a)), b(hn::Set(Words(), to_b)) {}
  TUTTI_INLINE void operator()(Pair& x) const {
    x.a = hn::Add(x.a, a);
    x.b = hn::Add(x.b, b);
  }
  Word a, b;
};

template <int set>
TUTTI_INLINE void four_rounds(Four& x) {
  constexpr auto& r = threefry::rotations[set];
  x.each(Round<r[0]>());
  x.each(Round<r[1]>());
  x.each(Round<r[2]>());
  x.each(Round<r[3]>());
}

/// Three words; the last one makes their xor a constant.
struct Key {
  explicit Key(const std::uint32_t* words)
      : k0(words[0]), k1(words[1]), k2(words[0] ^ words[1] ^ threefry::key_parity) {}
  std::uint32_t k0, k1, k2;
};

/// The hashes of the numbers whose upper word is `high`, and whose lower words count from `low` on.
TUTTI_INLINE Four hashes(const Key& key, std::uint32_t high, std::uint32_t low) {
  const Words d;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const Word a = hn::Set(d, high + key.k0);
  const std::uint32_t b = low + key.k1;
  Four x{{a, hn::Iota(d, b)},
         {a, hn::Iota(d, b + lanes)},
         {a, hn::Iota(d, b + 2 * lanes)},
         {a, hn::Iota(d, b + 3 * lanes)}};
  four_rounds<0>(x);
  x.each(AddKey(key.k1, key.k2 + 1));
  four_rounds<1>(x);
  x.each(AddKey(key.k2, key.k0 + 2));
  four_rounds<0>(x);
  x.each(AddKey(key.k0, key.k1 + 3));
  four_rounds<1>(x);
  x.each(AddKey(key.k1, key.k2 + 4));
  four_rounds<0>(x);
  x.each(AddKey(key.k2, key.k0 + 5));
  return x;
}

/// A fraction of 23 bits -> a number of [0, 1).
TUTTI_INLINE hn::Vec<hn::RebindToFloat<Words>> unit_of(Word fraction) {
  const hn::RebindToFloat<Words> d;
  const Word at_one = hn::Or(fraction, hn::Set(Words(), 0x3F800000));  // in [1, 2)
  return hn::Sub(hn::BitCast(d, at_one), hn::Set(d, 1.0F));
}

/// The range in lanes of T.
template <class T>
class InRange {
 public:
  using D = hn::ScalableTag<T>;
  explicit InRange(const RandomRange& range)
      : low_(hn::Set(D(), static_cast<T>(range.low))), width_(hn::Set(D(), static_cast<T>(range.width))) {}
  /// low + width * unit, rounded once on every instruction set.
  TUTTI_INLINE hn::Vec<D> operator()(hn::Vec<D> unit) const {
    constexpr bool has_fma = HWY_NATIVE_FMA;
    if constexpr (has_fma) return hn::MulAdd(unit, width_, low_);
    const D d;
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    hn::Store(unit, d, lanes);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
      lanes[i] = std::fma(lanes[i], hn::GetLane(width_), hn::GetLane(low_));
    return hn::Load(d, lanes);
  }

 private:
  hn::Vec<D> low_, width_;
};
/// The range of elements that have none.
struct NoRange {
  explicit NoRange(const RandomRange&) {}
};

template <class Lanes>
TUTTI_INLINE void put_low_bits(Lanes d, Word bits, std::byte* out) {
  hn::StoreU(hn::TruncateTo(d, bits), d, reinterpret_cast<Element<Lanes>*>(out));
}

/// Writes the elements of one vector of hashes.
template <class T>
struct Put {
  using Range = std::conditional_t<std::is_same_v<T, float>, InRange<float>, NoRange>;
  explicit Put(const RandomRange& wanted) : range(wanted) {}
  TUTTI_INLINE void operator()(const Pair& x, std::byte* out) const {
    const Words d;
    const hn::Rebind<std::uint16_t, Words> d16;
    const Word bits = hn::Xor(x.a, x.b);
    if constexpr (std::is_same_v<T, std::uint32_t>) hn::StoreU(bits, d, reinterpret_cast<T*>(out));
    else if constexpr (std::is_same_v<T, std::uint16_t>) put_low_bits(d16, bits, out);
    else if constexpr (std::is_same_v<T, std::uint8_t>)
      put_low_bits(hn::Rebind<std::uint8_t, Words>(), bits, out);
    else if constexpr (std::is_same_v<T, float>)
      hn::StoreU(range(unit_of(hn::ShiftRight<9>(bits))), typename Range::D(), reinterpret_cast<T*>(out));
    else if constexpr (std::is_same_v<T, bf16>) {  // 7 bits of 8
      const auto unit = unit_of(hn::ShiftLeft<15>(hn::And(bits, hn::Set(d, 0xFE))));
      put_low_bits(d16, hn::ShiftRight<16>(hn::BitCast(d, unit)), out);
    } else {  // f16: 10 bits of 16; zero is the only one whose exponent is not 112 less
      static_assert(std::is_same_v<T, f16>);
      const auto unit = unit_of(hn::ShiftLeft<7>(hn::And(bits, hn::Set(d, 0xFFC0))));
      const Word in_f32 = hn::BitCast(d, unit);
      const Word in_f16 = hn::Sub(hn::ShiftRight<13>(in_f32), hn::Set(d, 112U << 10));
      put_low_bits(d16, hn::IfThenElseZero(hn::Ne(in_f32, hn::Zero(d)), in_f16), out);
    }
  }
  [[no_unique_address]] Range range;
};

/// Elements of 64 bits: words b and a in turn.
template <class T>
  requires(sizeof(T) == 8)
struct Put<T> {
  using Range = std::conditional_t<std::is_same_v<T, double>, InRange<double>, NoRange>;
  explicit Put(const RandomRange& wanted) : range(wanted) {}
  TUTTI_INLINE void operator()(const Pair& x, std::byte* out) const {
    const Words d;
    HWY_ALIGN std::uint32_t words[2 * hn::MaxLanes(d)];
    hn::StoreInterleaved2(x.b, x.a, d, words);
    const std::size_t bytes = hn::Lanes(d) * sizeof(T);
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      std::memcpy(out, words, bytes);
    } else {
      HWY_ALIGN std::uint64_t longs[hn::MaxLanes(d)];
      std::memcpy(longs, words, bytes);
      const hn::ScalableTag<std::uint64_t> d64;
      const hn::ScalableTag<double> to;
      for (std::size_t i = 0; i < hn::Lanes(d); i += hn::Lanes(d64)) {
        const auto fraction = hn::ShiftRight<12>(hn::Load(d64, longs + i));
        const auto at_one = hn::Or(fraction, hn::Set(d64, std::uint64_t{0x3FF} << 52));  // in [1, 2)
        const auto unit = hn::Sub(hn::BitCast(to, at_one), hn::Set(to, 1.0));
        hn::StoreU(range(unit), to, reinterpret_cast<T*>(out) + i);
      }
    }
  }
  [[no_unique_address]] Range range;
};

/// Writes all elements of four vectors.
template <class T>
TUTTI_INLINE void put(const Four& x, const Put<T>& one_vector, std::byte* out) {
  const std::size_t bytes = hn::Lanes(Words()) * sizeof(T);
  one_vector(x.one, out);
  one_vector(x.two, out + bytes);
  one_vector(x.three, out + 2 * bytes);
  one_vector(x.four, out + 3 * bytes);
}

/// Elements whose numbers have one upper word. The tail is computed as a whole block, and its first elements
/// are copied.
template <class T>
void same_upper_word(std::byte* out, const Key& key, std::uint64_t first, std::uint64_t n,
                     const RandomRange& range) {
  const Put<T> one_vector(range);
  const std::size_t block = Four::vectors * hn::Lanes(Words());
  const auto high = static_cast<std::uint32_t>(first >> 32), low = static_cast<std::uint32_t>(first);
  std::uint64_t i = 0;
  for (; i + block <= n; i += block, out += block * sizeof(T))
    put<T>(hashes(key, high, low + static_cast<std::uint32_t>(i)), one_vector, out);
  if (i == n) return;
  HWY_ALIGN std::byte last[Four::vectors * hn::MaxLanes(Words()) * sizeof(T)];
  put<T>(hashes(key, high, low + static_cast<std::uint32_t>(i)), one_vector, last);
  std::memcpy(out, last, (n - i) * sizeof(T));
}

template <class T>
void random_loop(std::byte* out, const std::uint32_t* words, std::uint64_t first, std::int64_t n,
                 const RandomRange& range) {
  const Key key(words);
  for (auto left = static_cast<std::uint64_t>(n); left > 0;) {
    const std::uint64_t below_next_upper_word = (std::uint64_t{1} << 32) - (first & 0xFFFFFFFF);
    const std::uint64_t some = std::min(left, below_next_upper_word);
    same_upper_word<T>(out, key, first, some, range);
    out += some * sizeof(T), first += some, left -= some;
  }
}

RandomBitsKernel vector_random_bits_kernel(DType dtype) {
  switch (dtype) {
    case DType::u8: return random_loop<std::uint8_t>;
    case DType::u16: return random_loop<std::uint16_t>;
    case DType::u32: return random_loop<std::uint32_t>;
    case DType::u64: return random_loop<std::uint64_t>;
    case DType::f16: return random_loop<f16>;
    case DType::bf16: return random_loop<bf16>;
    case DType::f32: return random_loop<float>;
    case DType::f64: return random_loop<double>;
    case DType::boolean:
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::complex64:
    case DType::complex128: break;
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_random_bits_kernel);

RandomBitsKernel internal::random_bits_kernel(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(vector_random_bits_kernel)(dtype);
}

}  // namespace tutti
#endif
