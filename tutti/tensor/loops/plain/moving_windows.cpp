// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/moving_windows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <numeric>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {

MovingWindows::MovingWindows(const std::vector<std::int64_t>& sizes,
                             const std::vector<WindowAlong>& windows) {
  std::size_t moved = sizes.size();
  while (moved > 0 && windows[moved - 1].is_trivial()) inner_ *= sizes[--moved];
  std::int64_t stride = inner_;
  for (std::size_t i = moved; i-- > 0; stride *= sizes[i])
    loops_.insert(loops_.begin(), {windows[i], sizes[i], windows[i].windows(sizes[i]), stride});
  if (loops_.empty()) loops_.push_back({{}, 1, 1, inner_});
  std::size_t outer = 0;
  for (; outer + 1 < loops_.size() && loops_[outer].window.is_trivial(); ++outer)
    blocks_ *= loops_[outer].size;
  block_elements_ = loops_[outer].size * loops_[outer].stride;
  for (std::size_t i = 0; i + 1 < loops_.size(); ++i) lines_ *= loops_[i].windows;
}

MovingWindows::Run MovingWindows::Loop::run(std::int64_t at) const {
  const std::int64_t first = at * this->window.stride - this->window.low;  // the place of element 0 is 0
  const std::int64_t apart = this->window.window_dilation, base = this->window.base_dilation;
  const std::int64_t last = size == 0 ? -1 : (size - 1) * base;
  std::int64_t k = first < 0 ? (-first + apart - 1) / apart : 0;
  std::int64_t end = last < first ? 0 : std::min(this->window.size, (last - first) / apart + 1);
  if (base == 1) return {(first + k * apart) * stride, std::max<std::int64_t>(end - k, 0), apart * stride};
  const std::int64_t period = base / std::gcd(apart, base);  // elements stand at every so-many-th place
  const std::int64_t tried = std::min(end, k + period);
  while (k < tried && (first + k * apart) % base != 0) ++k;
  if (k >= tried) return {};
  return {(first + k * apart) / base * stride, (end - k + period - 1) / period,
          period * apart / base * stride};
}

std::vector<std::int64_t> MovingWindows::begins_of_line(std::int64_t line) const {
  std::vector<std::int64_t> positions(loops_.size() - 1);
  for (std::size_t i = positions.size(); i-- > 0; line /= loops_[i].windows)
    positions[i] = line % loops_[i].windows;
  std::vector<std::int64_t> begins{0};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Run run = loops_[i].run(positions[i]);
    std::vector<std::int64_t> next;
    for (const std::int64_t begin : begins)
      for (std::int64_t k = 0; k < run.count; ++k) next.push_back(begin + run.begin + k * run.step);
    begins = std::move(next);
  }
  return begins;
}

template <class F>
void MovingWindows::for_each(std::int64_t begin, std::int64_t end, const F& f) const {
  const Loop& last = loops_.back();
  std::vector<std::int64_t> begins;
  for (std::int64_t line = begin; line < end; ++line) {
    const std::vector<std::int64_t> outer = begins_of_line(line);
    for (std::int64_t w = 0; w < last.windows; ++w) {
      const Run run = last.run(w);
      begins.clear();
      for (const std::int64_t at : outer)
        for (std::int64_t k = 0; k < run.count; ++k) begins.push_back(at + run.begin + k * run.step);
      f((line * last.windows + w) * inner_, begins);
    }
  }
}

namespace {

using Begins = std::vector<std::int64_t>;

/// Sums of floats are computed in double and rounded once.
template <class T, ReduceKind kind>
using Folded =
    std::conditional_t<kind == ReduceKind::sum && std::floating_point<Computed<T>>, double, Computed<T>>;

template <ReduceKind kind, class T>
T folded(T a, T b) {
  if constexpr (kind == ReduceKind::sum) return sum_of(a, b);
  else {
    if constexpr (std::floating_point<T>) {
      if (a != a || b != b) return a != a ? a : b;
      if (a == b) return std::signbit(a) == (kind == ReduceKind::min) ? a : b;
    }
    return (kind == ReduceKind::max ? a > b : a < b) ? a : b;
  }
}

/// For few inner elements: one at a time.
template <class T, ReduceKind kind>
void reduce_singly(std::byte* out, const std::byte* in, const MovingWindows& windows, std::int64_t begin,
                   std::int64_t end) {
  using F = Folded<T, kind>;
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(in);
  windows.for_each(begin, end, [&](std::int64_t window, const Begins& begins) {
    for (std::int64_t i = 0; i < windows.inner(); ++i) {
      F found = neutral_element<kind, F>();
      for (const std::int64_t at : begins)
        found = folded<kind>(found, static_cast<F>(static_cast<Computed<T>>(from[at + i])));
      to[window + i] = static_cast<T>(found);
    }
  });
}

template <class T>
void reduce_singly(std::byte* out, const std::byte* in, const MovingWindows& windows, ReduceKind kind,
                   std::int64_t begin, std::int64_t end) {
  if constexpr (!std::same_as<T, bool>)
    if (kind == ReduceKind::sum) return reduce_singly<T, ReduceKind::sum>(out, in, windows, begin, end);
  if constexpr (!is_complex_element<T>) {
    if (kind == ReduceKind::max) return reduce_singly<T, ReduceKind::max>(out, in, windows, begin, end);
    return reduce_singly<T, ReduceKind::min>(out, in, windows, begin, end);
  }
}

/// Folds `inner` elements of each place at once.
void reduce_rows(std::byte* out, const std::byte* in, const MovingWindows& windows, DType dtype,
                 ReduceKind kind, std::int64_t begin, std::int64_t end) {
  const auto bytes = static_cast<std::int64_t>(bytes_per_element(dtype));
  const std::int64_t n = windows.inner();
  const FoldKernel fold = fold_kernel(kind, dtype);
  std::array<std::byte, 16> neutral{}, zero{};
  write_neutral_element(kind, dtype, neutral.data());
  const bool may_be_negative_zero = kind == ReduceKind::sum && is_inexact(dtype);
  const ElementwiseKernel add =
      may_be_negative_zero ? binary_kernel(BinaryFn::add, dtype, Stride::dense, Stride::scalar) : nullptr;
  std::vector<const std::byte*> rows;
  windows.for_each(begin, end, [&](std::int64_t window, const Begins& begins) {
    std::byte* to = out + window * bytes;
    if (begins.empty()) return fill(to, neutral.data(), n, static_cast<std::size_t>(bytes));
    if (begins.size() == 1) {
      std::memcpy(to, in + begins[0] * bytes, static_cast<std::size_t>(n * bytes));
    } else {
      rows.clear();
      for (const std::int64_t at : begins) rows.push_back(in + at * bytes);
      fold(to, rows.data(), static_cast<int>(rows.size()), n, Load::plain, Store::plain);
    }
    if (add == nullptr) return;
    const std::byte* const terms[] = {to, zero.data()};
    add(to, terms, n);  // -0 + 0 = +0
  });
}

/// An integer as wide as T: loops over both are loops of vectors.
template <class T>
using IndexLike = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Which of the places is selected, for `some` inner elements.
template <class T, Extreme extreme, std::size_t width>
class Selected {
 public:
  using Index = IndexLike<Computed<T>>;

  void find(const T* chooser, const Begins& begins, std::int64_t first, std::int64_t some) {
    const T* row = chooser + begins[0] + first;
    for (std::int64_t i = 0; i < some; ++i) best_[i] = static_cast<Computed<T>>(row[i]);
    std::fill_n(at_.begin(), some, Index{0});
    for (std::size_t k = 1; k < begins.size(); ++k) {
      row = chooser + begins[k] + first;
      for (std::int64_t i = 0; i < some; ++i) {
        const auto x = static_cast<Computed<T>>(row[i]);
        const bool keeps = extreme == Extreme::largest ? best_[i] >= x : best_[i] <= x;
        best_[i] = keeps ? best_[i] : x;
        at_[i] = keeps ? at_[i] : static_cast<Index>(k);
      }
    }
  }
  Index at(std::int64_t i) const { return at_[i]; }

 private:
  struct Row : std::array<Computed<T>, width> {
    Computed<T>& operator[](std::int64_t i) { return this->data()[i]; }
  };
  struct Indices : std::array<Index, width> {
    Index& operator[](std::int64_t i) { return this->data()[i]; }
    Index operator[](std::int64_t i) const { return this->data()[i]; }
  };
  Row best_;
  Indices at_;
};

constexpr std::int64_t block = 128;  // inner elements at once

template <class T, Extreme extreme>
void gather_selected(std::byte* out, const std::byte* source, const std::byte* chooser,
                     const MovingWindows& windows, std::int64_t begin, std::int64_t end) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(source);
  Selected<T, extreme, block> selected;
  windows.for_each(begin, end, [&](std::int64_t window, const Begins& begins) {
    for (std::int64_t first = 0; first < windows.inner(); first += block) {
      const std::int64_t some = std::min(block, windows.inner() - first);
      T* row = to + window + first;
      if (begins.empty()) {
        std::fill_n(row, some, T(Computed<T>(0)));
        continue;
      }
      selected.find(reinterpret_cast<const T*>(chooser), begins, first, some);
      for (std::int64_t i = 0; i < some; ++i)
        row[i] = from[begins[static_cast<std::size_t>(selected.at(i))] + first + i];
    }
  });
}

/// `to`: the sums of the block, of Computed<T>, which begins at element `origin`.
template <class T, Extreme extreme>
void scatter_to(Computed<T>* to, const T* source, const T* chooser, const MovingWindows& windows,
                std::int64_t origin, std::int64_t begin, std::int64_t end) {
  Selected<T, extreme, block> selected;
  windows.for_each(begin, end, [&](std::int64_t window, const Begins& begins) {
    if (begins.empty()) return;
    for (std::int64_t first = 0; first < windows.inner(); first += block) {
      const std::int64_t some = std::min(block, windows.inner() - first);
      selected.find(chooser, begins, first, some);
      const T* terms = source + window + first;
      for (std::size_t k = 0; k < begins.size(); ++k) {
        Computed<T>* row = to + (begins[k] - origin) + first;
        const auto here = static_cast<typename Selected<T, extreme, block>::Index>(k);
        for (std::int64_t i = 0; i < some; ++i) {
          const auto sum = sum_of(row[i], static_cast<Computed<T>>(terms[i]));
          row[i] = selected.at(i) == here ? sum : row[i];
        }
      }
    }
  });
}

template <class T, Extreme extreme>
void scatter_selected(std::byte* out, const std::byte* source, const std::byte* chooser,
                      const MovingWindows& windows, std::int64_t begin, std::int64_t end,
                      std::byte* scratch) {
  const std::int64_t n = windows.elements_of_block(), lines = windows.lines_of_block();
  for (std::int64_t b = begin; b < end; ++b) {
    T* to = reinterpret_cast<T*>(out) + b * n;
    auto* sums =
        is_half_element<T> ? reinterpret_cast<Computed<T>*>(scratch) : reinterpret_cast<Computed<T>*>(to);
    std::fill_n(sums, n, Computed<T>(0));
    scatter_to<T, extreme>(sums, reinterpret_cast<const T*>(source), reinterpret_cast<const T*>(chooser),
                           windows, b * n, b * lines, (b + 1) * lines);
    if constexpr (is_half_element<T>)
      for (std::int64_t i = 0; i < n; ++i) to[i] = T(sums[i]);
  }
}

/// Calls f<T, extreme>() for the dtypes that have an order and a sum.
template <class F>
void for_selection(DType dtype, Extreme extreme, const F& f) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_element<T> || std::same_as<T, bool>) {
      fail(Code::internal, "selection among {}", name(dtype));
    } else if (extreme == Extreme::largest) {
      f.template operator()<T, Extreme::largest>();
    } else {
      f.template operator()<T, Extreme::smallest>();
    }
  });
}

}  // namespace

void ops::reduce_windows(std::byte* out, const std::byte* in, const MovingWindows& windows, DType dtype,
                         ReduceKind kind, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t few = 8;  // a call of a fold takes as long as so many elements
  if (windows.inner() >= few) return reduce_rows(out, in, windows, dtype, kind, begin, end);
  with_element(dtype,
               [&]<class T>(std::type_identity<T>) { reduce_singly<T>(out, in, windows, kind, begin, end); });
}

void ops::select_and_gather(std::byte* out, const std::byte* source, const std::byte* chooser,
                            const MovingWindows& windows, DType dtype, Extreme extreme, std::int64_t begin,
                            std::int64_t end) {
  for_selection(dtype, extreme, [&]<class T, Extreme of>() {
    gather_selected<T, of>(out, source, chooser, windows, begin, end);
  });
}

void ops::select_and_scatter(std::byte* out, const std::byte* source, const std::byte* chooser,
                             const MovingWindows& windows, DType dtype, Extreme extreme,
                             std::int64_t begin_block, std::int64_t end_block, std::byte* scratch) {
  for_selection(dtype, extreme, [&]<class T, Extreme of>() {
    scatter_selected<T, of>(out, source, chooser, windows, begin_block, end_block, scratch);
  });
}

std::size_t ops::scratch_of_scatter(const MovingWindows& windows, DType dtype) {
  return is_half(dtype) ? 4 * static_cast<std::size_t>(windows.elements_of_block()) : 0;
}

}  // namespace tutti
