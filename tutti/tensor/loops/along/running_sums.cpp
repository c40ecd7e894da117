// SPDX-License-Identifier: Apache-2.0
// Running sums, by the tree of RunningTrees in plain/scans.cpp. Along a row, vectors hold blocks of 16 terms.
// Along columns each lane has a tree of its own.
#include "tutti/tensor/loops/along/running_sums.hpp"

#include <type_traits>

#include "tutti/tensor/loops/choose.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/along/running_sums.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

using ops::AlongDim;

constexpr std::size_t terms_of_block = 16, most_levels = 48;  // sums of 2^48 terms at most

/// The terms of a block, in vectors.
template <class T>
struct Block {
  using D = hn::CappedTag<T, terms_of_block>;
  static constexpr std::size_t lanes = hn::MaxLanes(D()), vectors = terms_of_block / lanes;

  hn::Vec<D> v[vectors];
};

/// Adds the last lane of the first half to all lanes of the second half, in each group of 2 half lanes.
template <std::size_t half, class D>
TUTTI_INLINE hn::Vec<D> added_to_second_half(D d, hn::Vec<D> v) {
  using Index = std::conditional_t<sizeof(Element<D>) == 4, std::int32_t, std::int64_t>;
  const hn::Rebind<Index, D> di;
  struct Indices {
    alignas(64) Index of[hn::MaxLanes(D())];
  };
  static constexpr Indices last_before = [] {
    Indices indices{};
    for (std::size_t i = 0; i < hn::MaxLanes(D()); ++i)
      indices.of[i] = static_cast<Index>((i & half) != 0 ? i / (2 * half) * 2 * half + half - 1 : i);
    return indices;
  }();
  const auto before = hn::TableLookupLanes(v, hn::SetTableIndices(d, last_before.of));
  const auto is_second = hn::Ne(hn::And(hn::Iota(di, 0), hn::Set(di, half)), hn::Zero(di));
  return hn::IfThenElse(hn::RebindMask(d, is_second), hn::Add(before, v), v);
}

template <std::size_t half, class D>
TUTTI_INLINE hn::Vec<D> sums_of_vector(D d, hn::Vec<D> v) {
  if constexpr (half >= hn::MaxLanes(D())) return v;
  else return sums_of_vector<2 * half>(d, added_to_second_half<half>(d, v));
}

template <class T>
TUTTI_INLINE T last_of(hn::Vec<typename Block<T>::D> v) {
  return hn::ExtractLane(v, Block<T>::lanes - 1);
}

/// The running sums of a block: the second half follows the sum of the first half, and so do their halves.
template <class T>
TUTTI_INLINE void run_block(Block<T>& block) {
  const typename Block<T>::D d;
  for (auto& v : block.v) v = sums_of_vector<1>(d, v);
  for (std::size_t half = 1; half < Block<T>::vectors; half *= 2)
    for (std::size_t begin = half; begin < Block<T>::vectors; begin += 2 * half) {
      const auto before = hn::Set(d, last_of<T>(block.v[begin - 1]));
      for (std::size_t i = begin; i < begin + half; ++i) block.v[i] = hn::Add(before, block.v[i]);
    }
}

/// The sums of the blocks of a row so far, like the digits of a binary counter.
template <class T>
class SumsBefore {
 public:
  TUTTI_INLINE void add_to(Block<T>& block) const {
    const typename Block<T>::D d;
    for (std::size_t level = height_; level-- > 0;)
      for (auto& v : block.v) v = hn::Add(hn::Set(d, sums_[level]), v);
  }
  TUTTI_INLINE void take(hn::Vec<hn::CappedTag<T, 1>> sum) {
    const hn::CappedTag<T, 1> one;
    for (std::uint64_t carry = count_++; carry % 2 == 1; carry /= 2)
      sum = hn::Add(hn::Set(one, sums_[--height_]), sum);  // integers wrap
    sums_[height_++] = hn::GetLane(sum);
  }

 private:
  T sums_[most_levels];
  std::size_t height_ = 0;
  std::uint64_t count_ = 0;
};

template <Order order, class T>
TUTTI_INLINE void run_along_row(T* to, const T* from, std::int64_t n) {
  constexpr auto some = static_cast<std::int64_t>(terms_of_block);
  using Vectors = Block<T>;
  const typename Vectors::D d;
  SumsBefore<T> before;
  const auto run = [&](Vectors& block) HWY_ATTR {
    run_block(block);
    const T sum = last_of<T>(block.v[Vectors::vectors - 1]);
    before.add_to(block);
    before.take(hn::Set(hn::CappedTag<T, 1>(), sum));
  };
  const auto each = [](const auto& f) HWY_ATTR {
    for (std::size_t i = 0; i < Vectors::vectors; ++i) f(i, static_cast<std::int64_t>(i * Vectors::lanes));
  };
  Vectors block;
  std::int64_t first = 0;
  for (; first + some <= n; first += some)
    if constexpr (order == Order::forward) {
      each([&](std::size_t i, std::int64_t lane)
               HWY_ATTR { block.v[i] = hn::LoadU(d, from + first + lane); });
      run(block);
      each([&](std::size_t i, std::int64_t lane) HWY_ATTR { hn::StoreU(block.v[i], d, to + first + lane); });
    } else {
      constexpr auto lanes = static_cast<std::int64_t>(Vectors::lanes);
      const std::int64_t end = n - first - lanes;
      each([&](std::size_t i, std::int64_t lane)
               HWY_ATTR { block.v[i] = hn::Reverse(d, hn::LoadU(d, from + end - lane)); });
      run(block);
      each([&](std::size_t i, std::int64_t lane)
               HWY_ATTR { hn::StoreU(hn::Reverse(d, block.v[i]), d, to + end - lane); });
    }
  if (first == n) return;
  HWY_ALIGN T terms[terms_of_block] = {};  // the last block is shorter
  const auto place = [&](std::int64_t i)
                         HWY_ATTR { return order == Order::forward ? first + i : n - 1 - first - i; };
  for (std::int64_t i = 0; i < n - first; ++i) terms[i] = from[place(i)];
  each([&](std::size_t i, std::int64_t lane) HWY_ATTR { block.v[i] = hn::Load(d, terms + lane); });
  run(block);
  each([&](std::size_t i, std::int64_t lane) HWY_ATTR { hn::Store(block.v[i], d, terms + lane); });
  for (std::int64_t i = 0; i < n - first; ++i) to[place(i)] = terms[i];
}

/// The columns of a line, of 1 KiB. The sums of 2^20 terms lie in L1.
template <class T>
constexpr std::size_t line_of_columns = 1024 / sizeof(T);

/// The trees of a line of columns.
template <class T>
class ColumnSums {
 public:
  using D = hn::ScalableTag<T>;

  /// to[i] = the sum of all terms so far, from[i] among them.
  TUTTI_INLINE void run(T* to, const T* from, std::size_t columns) {
    const std::size_t carries = hwy::Num0BitsBelowLS1Bit_Nonzero64(~count_);
    const std::size_t lanes = hn::Lanes(D());
    std::size_t i = 0;
    for (; i + lanes <= columns; i += lanes)
      hn::StoreU(run(hn::LoadU(D(), from + i), i, carries), D(), to + i);
    if (i < columns)
      store_first(D(), run(load_first(D(), from + i, columns - i), i, carries), to + i, columns - i);
    height_ = height_ - carries + 1;
    ++count_;
  }

 private:
  TUTTI_INLINE hn::Vec<D> run(hn::Vec<D> term, std::size_t column, std::size_t carries) {
    hn::Vec<D> sum = term;
    for (std::size_t level = height_; level > 0; --level)
      sum = hn::Add(hn::Load(D(), &sums_[level - 1][column]), sum);
    for (std::size_t level = height_; level > height_ - carries; --level)
      term = hn::Add(hn::Load(D(), &sums_[level - 1][column]), term);
    hn::Store(term, D(), &sums_[height_ - carries][column]);
    return sum;
  }

  alignas(64) T sums_[most_levels][line_of_columns<T>];
  std::size_t height_ = 0;
  std::uint64_t count_ = 0;
};

template <class T>
void run_along_columns(T* to, const T* from, const AlongDim& shape, Order order) {
  constexpr auto width = static_cast<std::int64_t>(line_of_columns<T>);
  for (std::int64_t first = 0; first < shape.inner; first += width) {
    const auto columns = static_cast<std::size_t>(shape.inner - first < width ? shape.inner - first : width);
    ColumnSums<T> sums;
    for (std::int64_t k = 0; k < shape.n; ++k) {
      const std::int64_t at = (order == Order::forward ? k : shape.n - 1 - k) * shape.stride + first;
      sums.run(to + at, from + at, columns);
    }
  }
}

template <class T>
void running_sums_loop(std::byte* out, const std::byte* in, const AlongDim& shape, Order order) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  for (std::int64_t o = 0; o < shape.outer; ++o, to += shape.n * shape.stride, from += shape.n * shape.stride)
    if (shape.stride > 1) run_along_columns(to, from, shape, order);
    else if (order == Order::forward) run_along_row<Order::forward>(to, from, shape.n);
    else run_along_row<Order::backward>(to, from, shape.n);
}

RunningSumsKernel vector_running_sums_kernel(Lanes lanes) {
  switch (lanes) {
    case Lanes::i32: return running_sums_loop<std::int32_t>;
    case Lanes::i64: return running_sums_loop<std::int64_t>;
    case Lanes::f32: return running_sums_loop<float>;
    case Lanes::f64: return running_sums_loop<double>;
    case Lanes::boolean: break;
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_running_sums_kernel);

RunningSumsKernel running_sums_kernel(DType dtype) {
  const auto lanes = lanes_of_fold(ReduceKind::sum, dtype);
  return lanes ? HWY_DYNAMIC_DISPATCH(vector_running_sums_kernel)(*lanes) : nullptr;
}

}  // namespace tutti
#endif
