// SPDX-License-Identifier: Apache-2.0
// Plans of transforms: the dims one after the other, by ducc_axes_inl.hpp. Two sources include this, each for
// one instruction set and with its own DUCC0_NAMESPACE.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "tutti/tensor/fft/ducc_axes_inl.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace tutti::DUCC0_NAMESPACE {
namespace {

template <class T>
class Plan final : public FftPlan {
 public:
  Plan(FftKind kind, const FftShape& shape)
      : kind_(kind), lengths_(shape.lengths.begin(), shape.lengths.end()) {
    reals_ = 1;
    for (std::size_t n : lengths_) reals_ *= n;
    const std::size_t n = lengths_.back(), outer = reals_ / n;
    const bool of_reals = kind == FftKind::rfft || kind == FftKind::irfft;
    row_ = of_reals ? n / 2 + 1 : n;
    spectrum_ = outer * row_;
    const std::size_t lines = static_cast<std::size_t>(shape.batch) * outer;
    if (of_reals) real_.emplace(n, lines);
    else last_.emplace(n, lines);
    std::size_t inner = row_;
    for (std::size_t k = lengths_.size() - 1; k-- > 0; inner *= lengths_[k]) {
      others_.emplace_back(lengths_[k], inner);
      inner_.push_back(inner);
    }
    block_ = lengths_.size() == 1 ? static_cast<std::int64_t>(lanes<T>) : 1;
  }

  std::int64_t block() const override { return block_; }

  std::size_t scratch_bytes() const override {
    std::size_t most = real_ ? real_->scratch() : last_->scratch();
    for (const AnyAxis<T>& axis : others_) most = std::max(most, axis.scratch());
    return most + (keeps_spectrum() ? spectrum_bytes() : 0);
  }

  void run(std::byte* result, const std::byte* operand, std::int64_t begin, std::int64_t end,
           std::byte* scratch) const override {
    const auto first = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(end - begin);
    const std::size_t complex_at = first * spectrum_, real_at = first * reals_;
    switch (kind_) {
      case FftKind::fft:
      case FftKind::ifft:
        forward(reinterpret_cast<Cmplx<T>*>(result) + complex_at,
                reinterpret_cast<const Cmplx<T>*>(operand) + complex_at, count, scratch);
        return;
      case FftKind::rfft:
        forward(reinterpret_cast<Cmplx<T>*>(result) + complex_at,
                reinterpret_cast<const T*>(operand) + real_at, count, scratch);
        return;
      case FftKind::irfft:
        back_to_reals(reinterpret_cast<T*>(result) + real_at,
                      reinterpret_cast<const Cmplx<T>*>(operand) + complex_at, count, scratch);
    }
  }

 private:
  T one_over_all() const { return T(1) / static_cast<T>(reals_); }
  bool keeps_spectrum() const { return kind_ == FftKind::irfft && lengths_.size() > 1; }
  std::size_t spectrum_bytes() const { return in_lines(spectrum_ * sizeof(Cmplx<T>)); }

  /// Rows of the last dim that are transformed before the next dim is: the matrix of the last two dims if it
  /// fits into the cache and fills the lanes well, else all rows.
  std::size_t rows_together(std::size_t rows) const {
    if (lengths_.size() == 1) return rows;
    const std::size_t matrix = lengths_[lengths_.size() - 2];
    return matrix >= 4 * lanes<T> && matrix * row_ * sizeof(Cmplx<T>) <= cache_bytes ? matrix : rows;
  }

  // The last dim first. In: T or Cmplx<T>.
  template <class In>
  void forward(Cmplx<T>* out, const In* in, std::size_t count, std::byte* scratch) const {
    const std::size_t rows = count * spectrum_ / row_, together = rows_together(rows);
    for (std::size_t row = 0; row < rows; row += together) {
      rows_of(out + row * row_, in + row * lengths_.back(), together, scratch);
      if (!others_.empty()) along(0, out + row * row_, out + row * row_, together * row_, scratch);
    }
    for (std::size_t k = 1; k < others_.size(); ++k) along(k, out, out, count * spectrum_, scratch);
  }
  void rows_of(Cmplx<T>* out, const T* in, std::size_t rows, std::byte* scratch) const {
    real_->forward(out, in, rows, scratch);
  }
  void rows_of(Cmplx<T>* out, const Cmplx<T>* in, std::size_t rows, std::byte* scratch) const {
    const Places dense{row_, 1};
    last_->run(out, in, {rows, dense, dense}, kind_ == FftKind::fft ? T(1) : one_over_all(),
               kind_ == FftKind::fft, scratch);
  }

  /// Dim k before the last one, of `elements` values.
  void along(std::size_t k, Cmplx<T>* out, const Cmplx<T>* in, std::size_t elements,
             std::byte* scratch) const {
    const std::size_t n = lengths_[lengths_.size() - 2 - k], inner = inner_[k];
    const Places strided{1, inner};
    const bool is_forward = kind_ == FftKind::fft || kind_ == FftKind::rfft;
    for (std::size_t at = 0; at < elements; at += n * inner)
      others_[k].run(out + at, in + at, {inner, strided, strided}, T(1), is_forward, scratch);
  }

  void back_to_reals(T* out, const Cmplx<T>* in, std::size_t count, std::byte* scratch) const {
    if (others_.empty()) return real_->backward(out, in, count, one_over_all(), scratch);
    for (std::size_t i = 0; i < count; ++i) one_back_to_reals(out + i * reals_, in + i * spectrum_, scratch);
  }
  // The first dim first. The operand stays as it is: the first of the dims is transformed into a copy.
  void one_back_to_reals(T* out, const Cmplx<T>* in, std::byte* scratch) const {
    auto* copy = reinterpret_cast<Cmplx<T>*>(scratch);
    std::byte* rest = scratch + spectrum_bytes();
    for (std::size_t k = others_.size(); k-- > 1; in = copy) along(k, copy, in, spectrum_, rest);
    const std::size_t rows = spectrum_ / row_, together = rows_together(rows);
    for (std::size_t row = 0; row < rows; row += together) {
      along(0, copy + row * row_, in + row * row_, together * row_, rest);
      real_->backward(out + row * lengths_.back(), copy + row * row_, together, one_over_all(), rest);
    }
  }

  FftKind kind_;
  std::vector<std::size_t> lengths_;
  std::size_t reals_ = 0, spectrum_ = 0,
              row_ = 0;  // elements of one array: real, complex; of a row of the latter
  std::optional<AnyAxis<T>> last_;
  std::optional<RealAxis<T>> real_;
  std::vector<AnyAxis<T>> others_;  // the dim before the last one, the one before that, ..
  std::vector<std::size_t> inner_;  // elements below an index of that dim
  std::int64_t block_ = 1;
};

}  // namespace

std::shared_ptr<const FftPlan> make_plan(FftKind kind, DType dtype, const FftShape& shape) {
  if (dtype == DType::f32) return std::make_shared<Plan<float>>(kind, shape);
  return std::make_shared<Plan<double>>(kind, shape);
}

}  // namespace tutti::DUCC0_NAMESPACE
