// SPDX-License-Identifier: Apache-2.0
// Short columns of numbers are sorted many at once. The comparisons of Batcher's odd-even merge sort do not
// depend on the numbers, so vectors of one row are compared with those of another row.
#include "tutti/tensor/loops/along/sort_kernels.hpp"

#include "tutti/base/require.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/along/sort_kernels.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

/// Maps the bits of elements to signed numbers in the same order. The map is its own inverse.
template <class D>
TUTTI_INLINE hn::Vec<D> turned(D d, hn::Vec<D> bits, OrderOfBits::Kind kind) {
  using Bits = Element<D>;
  switch (kind) {
    case OrderOfBits::Kind::integers: return bits;
    case OrderOfBits::Kind::unsigned_integers: return hn::Xor(bits, hn::Set(d, hwy::LimitsMin<Bits>()));
    case OrderOfBits::Kind::floating: break;
  }
  return hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, hwy::LimitsMax<Bits>())));
}

/// Also turns NaNs, beyond infinity, into the largest number, and notes zeros and NaNs among `lanes`.
template <class D>
TUTTI_INLINE hn::Vec<D> turned_floats(D d, hn::Vec<D> bits, hn::Vec<D> infinity, hn::Mask<D> lanes,
                                      bool& has_any) {
  const auto most = hn::Set(d, hwy::LimitsMax<Element<D>>()), size = hn::And(bits, most);
  const auto is_nan = hn::Gt(size, infinity), is_zero = hn::Eq(size, hn::Zero(d));
  has_any |= !hn::AllFalse(d, hn::And(lanes, hn::Or(is_nan, is_zero)));
  return hn::IfThenElse(is_nan, most, turned(d, bits, OrderOfBits::Kind::floating));
}

/// Replaces n numbers by f(vector, how many lanes count).
template <class Bits, class F>
TUTTI_INLINE void replace(std::byte* bytes, std::int64_t n, const F& f) {
  const hn::ScalableTag<Bits> d;
  auto* numbers = reinterpret_cast<Bits*>(bytes);
  const std::size_t count = static_cast<std::size_t>(n), lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(hn::LoadU(d, numbers + i), lanes), d, numbers + i);
  if (const std::size_t left = count - i; left > 0)
    store_first(d, f(load_first(d, numbers + i, left), left), numbers + i, left);
}

template <class Bits>
bool turn(std::byte* bytes, std::int64_t n, const OrderOfBits& order) {
  const hn::ScalableTag<Bits> d;
  using V = hn::Vec<decltype(d)>;
  const V infinity = hn::Set(d, static_cast<Bits>(order.infinity));
  bool has_any = false;
  replace<Bits>(bytes, n, [&](V bits, std::size_t some) HWY_ATTR {
    return order.kind == OrderOfBits::Kind::floating
               ? turned_floats(d, bits, infinity, hn::FirstN(d, some), has_any)
               : turned(d, bits, order.kind);
  });
  return has_any;
}

template <class Bits>
void turn_back(std::byte* bytes, std::int64_t n, const OrderOfBits& order) {
  const hn::ScalableTag<Bits> d;
  replace<Bits>(bytes, n, [&](hn::Vec<decltype(d)> numbers, std::size_t) HWY_ATTR {
    return turned(d, numbers, order.kind);
  });
}

template <class Bits>
using Columns = hn::CappedTag<Bits, sorted_columns>;

/// The smaller element of each column goes to row a, the larger one to row b.
template <class Bits>
TUTTI_INLINE void order_rows(Bits* a, Bits* b) {
  const Columns<Bits> d;
  for (std::size_t i = 0; i < sorted_columns; i += hn::MaxLanes(d)) {
    const auto x = hn::Load(d, a + i), y = hn::Load(d, b + i);
    hn::Store(hn::Min(x, y), d, a + i);
    hn::Store(hn::Max(x, y), d, b + i);
  }
}

/// Merges sorted runs of `run` rows, for any number of rows. D. E. Knuth, The Art of Computer Programming 3,
/// 5.3.4.
template <class Bits>
void sort_columns(std::byte* bytes, std::int64_t rows) {
  auto* numbers = reinterpret_cast<Bits*>(bytes);
  for (std::int64_t run = 1; run < rows; run *= 2)
    for (std::int64_t apart = run; apart > 0; apart /= 2)
      for (std::int64_t first = apart % run; first + apart < rows; first += 2 * apart)
        for (std::int64_t row = first; row < first + apart && row + apart < rows; ++row)
          if ((row ^ (row + apart)) < 2 * run)  // in one block of 2 run rows
            order_rows(numbers + row * sorted_columns, numbers + (row + apart) * sorted_columns);
}

template <class Bits>
SortKernels kernels_of() {
  return {turn<Bits>, turn_back<Bits>, sort_columns<Bits>};
}

SortKernels vector_sort_kernels(std::size_t element_bytes) {
  switch (element_bytes) {
    case 2: return kernels_of<std::int16_t>();
    case 4: return kernels_of<std::int32_t>();
    default: return kernels_of<std::int64_t>();
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_sort_kernels);

SortKernels sort_kernels(std::size_t element_bytes) {
  ensure(element_bytes == 2 || element_bytes == 4 || element_bytes == 8, "elements of {} bytes",
         element_bytes);
  return HWY_DYNAMIC_DISPATCH(vector_sort_kernels)(element_bytes);
}

}  // namespace tutti
#endif
