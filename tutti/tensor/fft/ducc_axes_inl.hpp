// SPDX-License-Identifier: Apache-2.0
// Transforms along one dim by the passes of ducc. Two sources include this, each for one instruction set and
// with its own DUCC0_NAMESPACE; no other file sees ducc. No threads of ducc, and none of its caches:
// workers share plans.
#pragma once

#include <ducc0/infra/simd.h>

// Passes are compiled for whole vectors, and for the four lanes that a single line uses; shorter ones cost
// build time.
#ifndef DUCC0_HOMEGROWN_SIMD
namespace DUCC0_NAMESPACE::detail_simd {
template <>
constexpr inline bool simd_exists<float, 2> = false;
template <>
constexpr inline bool simd_exists<double, 2> = native_simd<double>::size() == 2;
}  // namespace DUCC0_NAMESPACE::detail_simd
#endif

#include <ducc0/fft/fft1d_impl.h>

#include <algorithm>
#include <optional>

#include "tutti/base/in_lines.hpp"

// The passes call this of ducc's threads. Here the calling thread does all.
namespace DUCC0_NAMESPACE::detail_threading {
namespace {

class OneThread final : public Scheduler {
 public:
  explicit OneThread(size_t work) : left_{0, work} {}
  size_t num_threads() const override { return 1; }
  size_t thread_num() const override { return 0; }
  Range getNext() override { return std::exchange(left_, Range{}); }

 private:
  Range left_;
};

}  // namespace

void execStatic(size_t work, size_t, size_t, std::function<void(Scheduler&)> run) {
  OneThread all(work);
  run(all);
}

}  // namespace DUCC0_NAMESPACE::detail_threading

namespace tutti::DUCC0_NAMESPACE {
namespace {

using ::DUCC0_NAMESPACE::Cmplx;
using ::DUCC0_NAMESPACE::detail_fft::cfftpass;
using ::DUCC0_NAMESPACE::detail_fft::rfftpass;
using ::DUCC0_NAMESPACE::detail_fft::tidx;
using ::DUCC0_NAMESPACE::detail_unity_roots::UnityRoots;

template <class T>
using Vector = ::DUCC0_NAMESPACE::native_simd<T>;
template <class T>
constexpr std::size_t lanes = Vector<T>::size();

constexpr std::size_t cache_bytes = std::size_t(1) << 20;  // half of a second cache, as ducc has it
constexpr std::size_t long_line = std::size_t(1) << 17;    // from here on in two steps, as ducc has it
constexpr std::size_t apart = 16;                          // elements between buffers, against equal low bits

/// Lines of equal length: element m of line l stands at l * line + m * step, in elements of the array.
struct Places {
  std::size_t line, step;
};
struct Lines {
  std::size_t count;
  Places in, out;
};

/// True if lines go through the passes side by side, one in each lane of a vector. Alone a line has other
/// bits, so this depends on the shape only.
template <class T>
bool side_by_side(std::size_t n, std::size_t lines) {
  return 2 * lines > lanes<T> && 4 * n * lanes<T> * sizeof(T) <= cache_bytes;
}

/// Complex lines of n elements.
template <class T>
class ComplexAxis {
 public:
  ComplexAxis(std::size_t n, std::size_t lines)
      : n_(n), vectors_(side_by_side<T>(n, lines)), pass_(cfftpass<T>::make_pass(n, !vectors_)) {}

  std::size_t scratch() const {
    return (2 * (n_ + apart) + pass_->bufsize()) * sizeof(Cmplx<T>) * (vectors_ ? lanes<T> : 1) + 64;
  }

  void run(Cmplx<T>* out, const Cmplx<T>* in, const Lines& lines, T factor, bool forward,
           std::byte* scratch) const {
    if (vectors_)
      for (std::size_t first = 0; first < lines.count; first += lanes<T>)
        run_vectors(out + first * lines.out.line, in + first * lines.in.line,
                    {std::min(lanes<T>, lines.count - first), lines.in, lines.out}, factor, forward, scratch);
    else
      for (std::size_t l = 0; l < lines.count; ++l)
        run_one(out + l * lines.out.line, in + l * lines.in.line, lines, factor, forward, scratch);
  }

 private:
  using V = Cmplx<Vector<T>>;

  // Lanes without a line repeat the last one.
  void run_vectors(Cmplx<T>* out, const Cmplx<T>* in, const Lines& lines, T factor, bool forward,
                   std::byte* scratch) const {
    constexpr std::size_t width = lanes<T>;
    V* data = reinterpret_cast<V*>(scratch);
    T* parts = reinterpret_cast<T*>(data);
    if (lines.count == width && lines.in.line == 1)
      for (std::size_t m = 0; m < n_; ++m)
        for (std::size_t l = 0; l < width; ++l) {
          parts[2 * width * m + l] = in[m * lines.in.step + l].r;
          parts[2 * width * m + width + l] = in[m * lines.in.step + l].i;
        }
    else
      for (std::size_t m = 0; m < n_; ++m)
        for (std::size_t l = 0; l < width; ++l) {
          const Cmplx<T>& x = in[m * lines.in.step + std::min(l, lines.count - 1) * lines.in.line];
          parts[2 * width * m + l] = x.r;
          parts[2 * width * m + width + l] = x.i;
        }
    V* copy = data + n_ + apart;
    const T* done = reinterpret_cast<const T*>(
        static_cast<const V*>(pass_->exec(tidx<V*>(), data, copy, copy + n_ + apart, forward)));
    if (lines.count == width && lines.out.line == 1)
      for (std::size_t m = 0; m < n_; ++m)
        for (std::size_t l = 0; l < width; ++l)
          out[m * lines.out.step + l] = {factor * done[2 * width * m + l],
                                         factor * done[2 * width * m + width + l]};
    else
      for (std::size_t m = 0; m < n_; ++m)
        for (std::size_t l = 0; l < lines.count; ++l)
          out[m * lines.out.step + l * lines.out.line] = {factor * done[2 * width * m + l],
                                                          factor * done[2 * width * m + width + l]};
  }

  void run_one(Cmplx<T>* out, const Cmplx<T>* in, const Lines& lines, T factor, bool forward,
               std::byte* scratch) const {
    Cmplx<T>* data = reinterpret_cast<Cmplx<T>*>(scratch);
    for (std::size_t m = 0; m < n_; ++m) data[m] = in[m * lines.in.step];
    Cmplx<T>* copy = data + n_ + apart;
    const auto* done =
        static_cast<const Cmplx<T>*>(pass_->exec(tidx<Cmplx<T>*>(), data, copy, copy + n_ + apart, forward));
    for (std::size_t m = 0; m < n_; ++m) out[m * lines.out.step] = {factor * done[m].r, factor * done[m].i};
  }

  std::size_t n_;
  bool vectors_;
  std::shared_ptr<cfftpass<T>> pass_;
};

/// The two factors of n that are closest to each other, the smaller one first.
std::pair<std::size_t, std::size_t> near_root(std::size_t n) {
  std::size_t small = 1;
  for (std::size_t f = 1; f * f <= n; ++f)
    if (n % f == 0) small = f;
  return {small, n / small};
}

/// A line too long for the caches, as a matrix [rows, columns]: columns, then a factor for each element,
/// then rows. Source: Bailey 1990; ducc does the same.
template <class T>
class LongAxis {
 public:
  static bool pays(std::size_t n) { return n >= long_line && near_root(n).first >= 16; }

  explicit LongAxis(std::size_t n)
      : rows_(near_root(n).first),
        columns_(n / rows_),
        first_(rows_, columns_),
        second_(columns_, rows_),
        roots_(n) {}

  std::size_t scratch() const {
    return (columns_ + apart) * rows_ * sizeof(Cmplx<T>) + 64 + std::max(first_.scratch(), second_.scratch());
  }

  void run(Cmplx<T>* out, const Cmplx<T>* in, const Lines& lines, T factor, bool forward,
           std::byte* scratch) const {
    auto* matrix = reinterpret_cast<Cmplx<T>*>(scratch);
    const std::size_t row = columns_ + apart;  // no power of two
    std::byte* rest = scratch + in_lines(row * rows_ * sizeof(Cmplx<T>));
    for (std::size_t l = 0; l < lines.count; ++l) {
      const std::size_t from = lines.in.step, to = lines.out.step;
      first_.run(matrix, in + l * lines.in.line, {columns_, {from, columns_ * from}, {1, row}}, 1, forward,
                 rest);
      for (std::size_t i = 1; i < rows_; ++i)
        for (std::size_t j = 1; j < columns_; ++j) {
          const Cmplx<T> root = roots_[i * j];
          Cmplx<T>& x = matrix[i * row + j];
          x = forward ? x * root.conj() : x * root;
        }
      second_.run(out + l * lines.out.line, matrix, {rows_, {row, 1}, {to, rows_ * to}}, factor, forward,
                  rest);
    }
  }

 private:
  std::size_t rows_, columns_;
  ComplexAxis<T> first_, second_;
  UnityRoots<T, Cmplx<T>> roots_;
};

/// Complex lines of any length.
template <class T>
class AnyAxis {
 public:
  AnyAxis(std::size_t n, std::size_t lines) {
    if (LongAxis<T>::pays(n)) long_.emplace(n);
    else short_.emplace(n, lines);
  }
  std::size_t scratch() const { return long_ ? long_->scratch() : short_->scratch(); }
  void run(Cmplx<T>* out, const Cmplx<T>* in, const Lines& lines, T factor, bool forward,
           std::byte* scratch) const {
    if (long_) long_->run(out, in, lines, factor, forward, scratch);
    else short_->run(out, in, lines, factor, forward, scratch);
  }

 private:
  std::optional<ComplexAxis<T>> short_;
  std::optional<LongAxis<T>> long_;
};

/// Real lines of n elements, and their spectra of n/2 + 1; both dense, one after the other.
template <class T>
class RealAxis {
 public:
  RealAxis(std::size_t n, std::size_t lines)
      : n_(n), vectors_(side_by_side<T>(n, lines)), pass_(rfftpass<T>::make_pass(n, !vectors_)) {}

  std::size_t scratch() const {
    return (2 * (n_ + apart) + pass_->bufsize()) * sizeof(T) * (vectors_ ? lanes<T> : 1) + 64;
  }

  void forward(Cmplx<T>* out, const T* in, std::size_t lines, std::byte* scratch) const {
    if (vectors_) forward_by<lanes<T>>(out, in, lines, scratch);
    else forward_by<1>(out, in, lines, scratch);
  }

  /// Ignores the imaginary parts of the first value, and for even n of the last.
  void backward(T* out, const Cmplx<T>* in, std::size_t lines, T factor, std::byte* scratch) const {
    if (vectors_) backward_by<lanes<T>>(out, in, lines, factor, scratch);
    else backward_by<1>(out, in, lines, factor, scratch);
  }

 private:
  std::size_t spectrum() const { return n_ / 2 + 1; }

  // Lanes without a line repeat the last one.
  template <std::size_t width>
  void forward_by(Cmplx<T>* out, const T* in, std::size_t lines, std::byte* scratch) const {
    for (std::size_t first = 0; first < lines; first += width, in += width * n_, out += width * spectrum()) {
      const std::size_t count = std::min(width, lines - first);
      T* data = reinterpret_cast<T*>(scratch);
      for (std::size_t l = 0; l < width; ++l) {
        const T* line = in + std::min(l, count - 1) * n_;
        for (std::size_t m = 0; m < n_; ++m) data[width * m + l] = line[m];
      }
      const T* done = passed(data, true);
      for (std::size_t l = 0; l < count; ++l) {
        Cmplx<T>* line = out + l * spectrum();
        const T* x = done + l;
        line[0] = {x[0], T(0)};
        for (std::size_t m = 1; 2 * m < n_; ++m) line[m] = {x[width * (2 * m - 1)], x[width * 2 * m]};
        if (n_ % 2 == 0) line[n_ / 2] = {x[width * (n_ - 1)], T(0)};
      }
    }
  }

  template <std::size_t width>
  void backward_by(T* out, const Cmplx<T>* in, std::size_t lines, T factor, std::byte* scratch) const {
    for (std::size_t first = 0; first < lines; first += width, in += width * spectrum(), out += width * n_) {
      const std::size_t count = std::min(width, lines - first);
      T* data = reinterpret_cast<T*>(scratch);
      for (std::size_t l = 0; l < width; ++l) {
        const Cmplx<T>* line = in + std::min(l, count - 1) * spectrum();
        T* x = data + l;
        x[0] = line[0].r;
        for (std::size_t m = 1; 2 * m < n_; ++m) {
          x[width * (2 * m - 1)] = line[m].r;
          x[width * 2 * m] = line[m].i;
        }
        if (n_ % 2 == 0) x[width * (n_ - 1)] = line[n_ / 2].r;
      }
      const T* done = passed(data, false);
      for (std::size_t l = 0; l < count; ++l) {
        T* line = out + l * n_;
        for (std::size_t m = 0; m < n_; ++m) line[m] = factor * done[width * m + l];
      }
    }
  }

  const T* passed(T* data, bool forward) const {
    if (!vectors_) {
      T* copy = data + n_ + apart;
      return static_cast<const T*>(pass_->exec(tidx<T*>(), data, copy, copy + n_ + apart, forward));
    }
    auto* first = reinterpret_cast<Vector<T>*>(data);
    Vector<T>* copy = first + n_ + apart;
    return static_cast<const T*>(pass_->exec(tidx<Vector<T>*>(), first, copy, copy + n_ + apart, forward));
  }

  std::size_t n_;
  bool vectors_;
  std::shared_ptr<rfftpass<T>> pass_;
};

}  // namespace
}  // namespace tutti::DUCC0_NAMESPACE
