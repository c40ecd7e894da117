// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/plain_cumulative.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return sum_of(a, b);
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return product_of(a, b);
  }
};

/// Several running sums or products at once. Each is kept as those of blocks of 2^k terms, like the digits of
/// a binary counter. A term takes part in at most log2(n) operations inside its block, and in at most log2(n)
/// more when the blocks are joined.
template <class T, class Join, std::size_t width>
class RunningTrees {
 public:
  using Terms = std::array<T, width>;

  /// Joins the blocks to `terms`, which follow them.
  void join_before(Terms& terms) const {
    for (std::size_t level = height_; level-- > 0;) join(blocks_[level], terms);
  }
  /// Joins the blocks of the only one to each of `terms`.
  template <std::size_t count>
  void join_before_each(std::array<T, count>& terms) const {
    for (std::size_t level = height_; level-- > 0;)
      for (T& term : terms) term = Join()(blocks_[level][0], term);
  }
  /// Adds a term to each.
  void add(Terms terms) {
    for (std::uint64_t carry = count_++; carry % 2 == 1; carry /= 2) join(blocks_[--height_], terms);
    blocks_[height_++] = terms;
  }

 private:
  static void join(const Terms& before, Terms& terms) {
    for (std::size_t i = 0; i < width; ++i) terms[i] = Join()(before[i], terms[i]);
  }

  std::array<Terms, 48> blocks_;  // of 2^48 terms at most
  std::size_t height_ = 0;
  std::uint64_t count_ = 0;
};

/// The running fold of 2^k terms, by the same tree: the second half follows the whole first half.
template <class Join, std::size_t half = 1, class T, std::size_t count>
void run_block(std::array<T, count>& terms) {
  for (std::size_t begin = half; begin < count; begin += 2 * half) {
    const T before = terms[begin - 1];
    for (std::size_t i = 0; i < half; ++i) terms[begin + i] = Join()(before, terms[begin + i]);
  }
  if constexpr (2 * half < count) run_block<Join, 2 * half>(terms);
}

template <class T, Extreme extreme>
class RunningExtreme {
 public:
  T next(T x) {
    if (is_first_ || replaces(x)) best_ = x;
    is_first_ = false;
    return best_;
  }

 private:
  bool replaces(T x) const {
    if (best_ != best_) return false;
    if (x != x) return true;
    if constexpr (std::floating_point<T>)
      if (x == best_) return std::signbit(x) == (extreme == Extreme::smallest);
    return extreme == Extreme::largest ? x > best_ : x < best_;
  }

  T best_{};
  bool is_first_ = true;
};

/// log(sum(exp(x))) so far. The sum is kept in units of exp(scale), compensated, so its error does not grow
/// with the number of terms. The scale changes only where the old sum no longer counts.
class RunningLogSumExp {
 public:
  double next(double x) {
    if (x == -std::numeric_limits<double>::infinity()) return value();
    if (x != x || x - scale_ > 300) {  // exp(-300) is far below the last place; NaN and inf stay
      scale_ = x;
      sum_ = 1;
      lost_ = 0;
    } else if (x <= std::numeric_limits<double>::max()) {
      add(std::exp(x - scale_));
    }
    return value();
  }

 private:
  void add(double term) {
    const double sum = sum_ + term;
    lost_ += std::abs(sum_) >= term ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return scale_ + std::log(sum_ + lost_); }

  double scale_ = -std::numeric_limits<double>::infinity(), sum_ = 0, lost_ = 0;
};

/// `Running` takes the elements one after the other and returns the fold so far. Neighbouring columns run at
/// once.
template <class T, class Number, class Running>
void run_along(std::byte* out, const std::byte* in, const AlongDim& shape, Order order) {
  constexpr std::int64_t width = 64;
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  for (std::int64_t o = 0; o < shape.outer; ++o)
    for (std::int64_t first = 0; first < shape.inner; first += width) {
      std::array<Running, width> running;
      for (std::int64_t k = 0; k < shape.n; ++k) {
        const std::int64_t along = order == Order::forward ? k : shape.n - 1 - k;
        const std::int64_t row = (o * shape.n + along) * shape.stride;
        for (std::int64_t i = first; i < std::min(first + width, shape.inner); ++i)
          to[row + i] = static_cast<T>(running[static_cast<std::size_t>(i - first)].next(
              static_cast<Number>(static_cast<Computed<T>>(from[row + i]))));
      }
    }
}

/// The tree of a row, in blocks of terms.
template <class T, class Number, class Join, int step>
void run_along_row(T* to, const T* from, std::int64_t n) {
  constexpr std::int64_t block = 16;
  const std::int64_t start = step > 0 ? 0 : n - 1;
  RunningTrees<Number, Join, 1> before;
  const auto run = [&](std::int64_t first, std::int64_t some) {
    std::array<Number, block> terms{};
    for (std::int64_t i = 0; i < some; ++i)
      terms[static_cast<std::size_t>(i)] =
          static_cast<Number>(static_cast<Computed<T>>(from[start + (first + i) * step]));
    run_block<Join>(terms);
    const Number all = terms.back();
    before.join_before_each(terms);
    for (std::int64_t i = 0; i < some; ++i)
      to[start + (first + i) * step] = static_cast<T>(terms[static_cast<std::size_t>(i)]);
    before.add({all});
  };
  std::int64_t first = 0;
  for (; first + block <= n; first += block) run(first, block);
  if (first < n) run(first, n - first);
}

/// The trees of neighbouring columns at once.
template <class T, class Number, class Join>
void run_along_columns(T* to, const T* from, const AlongDim& shape, Order order) {
  constexpr std::int64_t width = 64;
  for (std::int64_t first = 0; first < shape.inner; first += width) {
    const std::int64_t some = std::min(width, shape.inner - first);
    RunningTrees<Number, Join, width> before;
    for (std::int64_t k = 0; k < shape.n; ++k) {
      const std::int64_t at = (order == Order::forward ? k : shape.n - 1 - k) * shape.stride + first;
      std::array<Number, width> terms{};
      for (std::int64_t i = 0; i < some; ++i)
        terms[static_cast<std::size_t>(i)] = static_cast<Number>(static_cast<Computed<T>>(from[at + i]));
      const std::array<Number, width> own = terms;
      before.join_before(terms);
      for (std::int64_t i = 0; i < some; ++i) to[at + i] = static_cast<T>(terms[static_cast<std::size_t>(i)]);
      before.add(own);
    }
  }
}

template <class T, class Number, class Join>
void run_tree(std::byte* out, const std::byte* in, const AlongDim& shape, Order order) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  for (std::int64_t o = 0; o < shape.outer; ++o, to += shape.n * shape.stride, from += shape.n * shape.stride)
    if (shape.stride == 1 && order == Order::forward) run_along_row<T, Number, Join, 1>(to, from, shape.n);
    else if (shape.stride == 1) run_along_row<T, Number, Join, -1>(to, from, shape.n);
    else run_along_columns<T, Number, Join>(to, from, shape, order);
}

using RunAlong = void (*)(std::byte* out, const std::byte* in, const AlongDim& shape, Order order);

/// Null where the dtype has no such fold.
template <class T>
RunAlong loop_of(CumulativeKind kind) {
  using C = Computed<T>;
  constexpr bool is_bool = std::same_as<T, bool>, has_order = !is_complex_element<T>;
  switch (kind) {
    case CumulativeKind::sum:
      if constexpr (!is_bool) return run_tree<T, C, Add>;
      break;
    case CumulativeKind::prod:
      if constexpr (!is_bool) return run_tree<T, C, Multiply>;
      break;
    case CumulativeKind::max:
      if constexpr (has_order) return run_along<T, C, RunningExtreme<C, Extreme::largest>>;
      break;
    case CumulativeKind::min:
      if constexpr (has_order) return run_along<T, C, RunningExtreme<C, Extreme::smallest>>;
      break;
    case CumulativeKind::logsumexp:
      if constexpr (std::floating_point<C>) return run_along<T, double, RunningLogSumExp>;
      break;
  }
  return nullptr;
}

/// True if `a` replaces `b`, an earlier element, as the extreme. The first NaN replaces every number.
template <Extreme extreme, class T>
bool beats(T a, T b) {
  if (b != b) return false;
  if (a != a) return true;
  return extreme == Extreme::largest ? a > b : a < b;
}

/// The index of the first element from `at` on that is one of these. There is one.
template <class T, class Is>
std::int64_t index_of_first(const T* row, std::int64_t at, std::int64_t n, const Is& is_one) {
  constexpr std::int64_t some = 64;  // vectors look at so many at once
  for (; at + some <= n; at += some) {
    std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t> found = 0;
    for (std::int64_t i = at; i < at + some; ++i) found |= is_one(static_cast<Computed<T>>(row[i])) ? 1 : 0;
    if (found != 0) break;
  }
  while (!is_one(static_cast<Computed<T>>(row[at]))) ++at;
  return at;
}

/// The index of the extreme of a row. Vectors find the extreme of each block; only the best block is
/// searched.
template <Extreme extreme, class T>
std::int64_t index_in_row(const T* row, std::int64_t n, ReduceRowsKernel fold) {
  constexpr std::int64_t block = 1024;
  T best{};
  std::int64_t at = 0;
  for (std::int64_t first = 0; first < n; first += block) {
    T found;
    fold(reinterpret_cast<std::byte*>(&found), reinterpret_cast<const std::byte*>(row + first), 1,
         std::min(block, n - first), 0);
    if (first > 0 && !beats<extreme>(static_cast<Computed<T>>(found), static_cast<Computed<T>>(best)))
      continue;
    best = found;
    at = first;
  }
  const auto wanted = static_cast<Computed<T>>(best);
  if (wanted != wanted) return index_of_first(row, at, n, [](Computed<T> x) { return x != x; });
  return index_of_first(row, at, n, [=](Computed<T> x) { return x == wanted; });
}

/// The indices of the extremes of columns.
template <Extreme extreme, class T, class Index>
void indices_in_columns(Index* to, const T* from, const AlongDim& shape) {
  std::array<Computed<T>, 256> best;
  for (std::int64_t first = 0; first < shape.inner; first += std::ssize(best)) {
    const std::int64_t some = std::min(std::ssize(best), shape.inner - first);
    for (std::int64_t k = 0; k < shape.n; ++k)
      for (std::int64_t i = 0; i < some; ++i) {
        const auto x = static_cast<Computed<T>>(from[k * shape.stride + first + i]);
        auto& b = best[static_cast<std::size_t>(i)];
        const bool better = k == 0 || beats<extreme>(x, b);
        b = better ? x : b;
        to[first + i] = better ? static_cast<Index>(k) : to[first + i];
      }
  }
}

template <Extreme extreme, class T, class Index>
void indices_of(std::byte* out, const std::byte* in, const AlongDim& shape) {
  auto* to = reinterpret_cast<Index*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  const auto fold =
      reduce_rows_kernel(extreme == Extreme::largest ? ReduceKind::max : ReduceKind::min, dtype_of<T>());
  for (std::int64_t o = 0; o < shape.outer; ++o, to += shape.stride, from += shape.n * shape.stride)
    if (shape.stride == 1) *to = static_cast<Index>(index_in_row<extreme>(from, shape.n, fold));
    else indices_in_columns<extreme>(to, from, shape);
}

template <class T>
void indices_in(std::byte* out, const std::byte* in, const AlongDim& shape, Extreme extreme,
                DType index_dtype) {
  bool wide = index_dtype == DType::i64;
  if (extreme == Extreme::largest)
    return wide ? indices_of<Extreme::largest, T, std::int64_t>(out, in, shape)
                : indices_of<Extreme::largest, T, std::int32_t>(out, in, shape);
  return wide ? indices_of<Extreme::smallest, T, std::int64_t>(out, in, shape)
              : indices_of<Extreme::smallest, T, std::int32_t>(out, in, shape);
}

}  // namespace

void ops::plain_cumulative(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                           CumulativeKind kind, Order order) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    const RunAlong loop = loop_of<T>(kind);
    ensure(loop != nullptr, "no running fold {} of {}", static_cast<int>(kind), name(dtype));
    loop(out, in, shape, order);
  });
}

void ops::index_of_extreme(std::byte* out, const std::byte* in, const AlongDim& shape, DType dtype,
                           Extreme extreme, DType index_dtype) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T>) fail(Code::internal, "the extreme of {}", name(dtype));
    else indices_in<T>(out, in, shape, extreme, index_dtype);
  });
}

}  // namespace tutti
