// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/plain/sort_keys.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

/// A key and where it comes from. Index is wide only for wide keys and very long lines, so that both have one
/// width.
template <class Wide>
struct Keyed {
  Wide key, index;
};

constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;

/// Sorts `from` stably by the lowest `bits` bits of its keys. Returns the one of `from` and `spare` that
/// holds the result.
template <class Wide>
std::span<Keyed<Wide>> sorted_by_digits(std::span<Keyed<Wide>> from, std::span<Keyed<Wide>> spare, int bits) {
  constexpr int most_passes = (64 + digit_bits - 1) / digit_bits;
  const int passes = (bits + digit_bits - 1) / digit_bits;
  std::array<std::array<std::size_t, digits>, most_passes> counts;
  for (int pass = 0; pass < passes; ++pass) counts[static_cast<std::size_t>(pass)].fill(0);
  auto digit = [](Wide key, int pass) {
    return static_cast<std::size_t>(key >> (pass * digit_bits)) & (digits - 1);
  };
  for (const auto& x : from)
    for (int pass = 0; pass < passes; ++pass) ++counts[static_cast<std::size_t>(pass)][digit(x.key, pass)];
  for (int pass = 0; pass < passes; ++pass) {
    auto& places = counts[static_cast<std::size_t>(pass)];
    if (places[digit(from[0].key, pass)] == from.size()) continue;  // all have this digit
    std::size_t next = 0;
    for (std::size_t& place : places) next += std::exchange(place, next);
    for (const auto& x : from) spare[places[digit(x.key, pass)]++] = x;
    std::swap(from, spare);
  }
  return from;
}

constexpr std::size_t shortest_merged = 32, shortest_by_digits = 512;

template <class Wide>
void insert_in_order(std::span<Keyed<Wide>> keys) {
  for (std::size_t end = 1; end < keys.size(); ++end) {
    const Keyed<Wide> x = keys[end];
    std::size_t at = end;
    for (; at > 0 && x.key < keys[at - 1].key; --at) keys[at] = keys[at - 1];
    keys[at] = x;
  }
}

template <class Wide>
std::span<Keyed<Wide>> sorted(std::span<Keyed<Wide>> from, std::span<Keyed<Wide>> spare, int bits) {
  if (from.size() >= shortest_by_digits) return sorted_by_digits(from, spare, bits);
  if (from.size() < shortest_merged) insert_in_order(from);
  else std::ranges::stable_sort(from, {}, &Keyed<Wide>::key);
  return from;
}

/// Both buffers of n keys, one behind the other in scratch.
template <class Wide>
std::pair<std::span<Keyed<Wide>>, std::span<Keyed<Wide>>> buffers(std::byte* scratch, std::size_t n) {
  auto* first = reinterpret_cast<Keyed<Wide>*>(scratch);
  return {{first, n}, {first + n, n}};
}

template <class T, class Wide>
void reorder_as(std::span<std::int64_t> order, const SortKeys& of, std::byte* scratch) {
  auto* keys = reinterpret_cast<const T*>(of.keys);
  auto [given, spare] = buffers<Wide>(scratch, order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    given[k] = {static_cast<Wide>(key_of<Zeros::equal>(keys[order[k] * of.stride])),
                static_cast<Wide>(order[k])};
  const auto ordered = sorted(given, spare, 8 * static_cast<int>(sizeof(T)));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int64_t>(ordered[k].index);
}

bool fits_u32(std::int64_t n) { return n <= std::numeric_limits<std::uint32_t>::max(); }

/// Sorts `order` stably by the keys at its indices.
void reorder(std::span<std::int64_t> order, const SortKeys& of, std::byte* scratch) {
  with_element(of.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) fail(Code::internal, "the order of {}", name(of.dtype));
    else if (sizeof(T) == 8 || !fits_u32(std::ssize(order))) reorder_as<T, std::uint64_t>(order, of, scratch);
    else reorder_as<T, std::uint32_t>(order, of, scratch);
  });
}

// --- The largest elements

template <class Key>
struct Candidate {
  Key key;
  std::int32_t index;
  /// True if `a` stands before `b` in the result.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.key > b.key || (a.key == b.key && a.index < b.index);
  }
};

std::int64_t most_candidates(std::int64_t k) { return k + std::max<std::int64_t>(k, 64); }

/// The best k of the elements offered so far, among some more. Elements are offered in the order of their
/// indices.
template <class Key>
class Best {
 public:
  Best(std::byte* scratch, std::int64_t k) : best_(reinterpret_cast<Candidate<Key>*>(scratch)), k_(k) {}

  /// False: an element of this key is not among the best k. A later element loses against an equal one.
  bool may_take(Key key) const { return !is_full_ || key > worst_; }
  void take(Key key, std::int64_t index) {
    best_[count_++] = {key, static_cast<std::int32_t>(index)};
    if (count_ == most_candidates(k_)) drop_the_rest();
  }
  std::span<Candidate<Key>> in_order() {
    if (count_ > k_) drop_the_rest();
    std::sort(best_, best_ + count_);
    return {best_, static_cast<std::size_t>(count_)};
  }

 private:
  void drop_the_rest() {
    std::nth_element(best_, best_ + k_ - 1, best_ + count_);
    count_ = k_;
    worst_ = best_[k_ - 1].key;
    is_full_ = true;
  }

  Candidate<Key>* best_;
  std::int64_t k_, count_ = 0;
  Key worst_ = 0;
  bool is_full_ = false;
};

/// Offers a dense line. Blocks whose largest element is not among the best are skipped.
template <class T>
void offer_line(Best<KeyOf<T>>& best, const T* from, std::int64_t n) {
  constexpr std::int64_t block = 256, blocks = 16;
  const ReduceRowsKernel fold = reduce_rows_kernel(ReduceKind::max, dtype_of<T>());
  std::array<T, blocks> largest;
  std::int64_t first = 0;
  auto offer = [&](std::int64_t end) {
    for (; first < end; ++first)
      if (const auto key = key_of<Zeros::apart>(from[first]); best.may_take(key)) best.take(key, first);
  };
  while (first + block * blocks <= n) {
    fold(reinterpret_cast<std::byte*>(largest.data()), reinterpret_cast<const std::byte*>(from + first),
         blocks, block, block * static_cast<std::int64_t>(sizeof(T)));
    for (const T& of_block : largest)
      if (best.may_take(key_of<Zeros::apart>(of_block))) offer(first + block);
      else first += block;
  }
  offer(n);
}

/// Where one line of the result lies.
template <class T>
struct TopLine {
  T* values;
  std::int32_t* indices;
  std::int64_t stride;
  void put(std::int64_t at, T value, std::int64_t index) const {
    values[at * stride] = value;
    indices[at * stride] = static_cast<std::int32_t>(index);
  }
};

template <class T>
void few_of_line(const TopLine<T>& to, const T* from, std::int64_t n, std::int64_t k, std::byte* scratch) {
  Best<KeyOf<T>> best(scratch, k);
  if (to.stride == 1) {
    offer_line(best, from, n);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      if (const auto key = key_of<Zeros::apart>(from[i * to.stride]); best.may_take(key)) best.take(key, i);
  }
  std::int64_t at = 0;
  for (const auto& one : best.in_order()) to.put(at++, from[one.index * to.stride], one.index);
}

template <class T, class Wide>
void many_of_line(const TopLine<T>& to, const T* from, std::int64_t n, std::int64_t k, std::byte* scratch) {
  auto [given, spare] = buffers<Wide>(scratch, static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    given[static_cast<std::size_t>(i)] = {static_cast<KeyOf<T>>(~key_of<Zeros::apart>(from[i * to.stride])),
                                          static_cast<Wide>(i)};
  const auto ordered = sorted(given, spare, 8 * static_cast<int>(sizeof(T)));
  for (std::int64_t at = 0; at < k; ++at) {
    const auto index = static_cast<std::int64_t>(ordered[static_cast<std::size_t>(at)].index);
    to.put(at, from[index * to.stride], index);
  }
}

/// Sorting all is faster than selecting.
bool takes_many(std::int64_t n, std::int64_t k) { return k > n / 4; }

template <class T>
void largest_of(std::byte* values, std::byte* indices, const std::byte* in, const AlongDim& shape,
                std::int64_t k, std::byte* scratch) {
  using Wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  auto* from = reinterpret_cast<const T*>(in);
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t i = 0; i < shape.inner; ++i) {
      const std::int64_t start = o * k * shape.stride + i;
      const TopLine<T> to{reinterpret_cast<T*>(values) + start,
                          reinterpret_cast<std::int32_t*>(indices) + start, shape.stride};
      const T* line = from + o * shape.n * shape.stride + i;
      if (takes_many(shape.n, k)) many_of_line<T, Wide>(to, line, shape.n, k, scratch);
      else few_of_line<T>(to, line, shape.n, k, scratch);
    }
}

}  // namespace

void sorted_order(std::span<std::int64_t> order, std::span<const SortKeys> keys, std::byte* scratch) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (order.empty()) return;
  for (std::size_t k = keys.size(); k > 0; --k) reorder(order, keys[k - 1], scratch);
}

std::size_t sorting_scratch_bytes(std::int64_t n, std::size_t key_bytes) {
  const bool is_wide = key_bytes == 8 || !fits_u32(n);
  return 2 * static_cast<std::size_t>(n) *
         (is_wide ? sizeof(Keyed<std::uint64_t>) : sizeof(Keyed<std::uint32_t>));
}

void largest_elements(std::byte* values, std::byte* indices, const std::byte* in, const AlongDim& shape,
                      std::int64_t k, DType dtype, std::byte* scratch) {
  if (k == 0) return;
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) fail(Code::internal, "the largest of {}", name(dtype));
    else largest_of<T>(values, indices, in, shape, k, scratch);
  });
}

std::size_t largest_elements_scratch_bytes(std::int64_t n, std::int64_t k, std::size_t element_bytes) {
  if (takes_many(n, k)) return sorting_scratch_bytes(n, element_bytes);
  return static_cast<std::size_t>(most_candidates(k)) * sizeof(Candidate<std::uint64_t>);
}

}  // namespace tutti
