// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/print.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

std::string float_text(double value, int digits) {
  if (std::isnan(value)) return "nan";  // without its sign, which depends on the processor
  std::string text = fmt::format("{:.{}g}", value, digits);
  const bool looks_like_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_like_integer ? text + '.' : text;
}

std::string element_text(const Tensor& tensor, std::int64_t i, int digits) {
  const auto k = static_cast<std::size_t>(i);
  return with_element(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    const T x = tensor.as<T>()[k];
    if constexpr (std::is_integral_v<T>) {
      return fmt::format("{}", x);
    } else if constexpr (is_complex_element<T>) {
      const std::string imag = float_text(static_cast<double>(x.imag()), digits);
      return float_text(static_cast<double>(x.real()), digits) + (imag[0] == '-' ? "" : "+") + imag + "j";
    } else {
      return float_text(tensor.at(i), digits);
    }
  });
}

class Printer {
 public:
  Printer(const Tensor& tensor, const PrintOptions& options)
      : tensor_(tensor), options_(options), summarises_(tensor.elements() > options.all_elements) {
    visit(0, 0, [&](std::int64_t i) {
      const std::string element = text(i);
      const std::size_t left = point(element);
      left_ = std::max(left_, left);
      right_ = std::max(right_, element.size() - left);
    });
  }

  std::string printed() {
    print(0, 0);
    return std::move(out_);
  }

 private:
  /// The shown indices of a dimension: [0, size) without [skip_from, skip_to).
  struct Shown {
    std::int64_t size, skip_from, skip_to;
  };
  Shown shown(int dim) const {
    const std::int64_t size = tensor_.shape()[dim], edge = options_.edge_elements;
    if (!summarises_ || size <= 2 * edge) return {size, size, size};
    return {size, edge, size - edge};
  }

  /// Index of the decimal point, or of the end if there is none.
  static std::size_t point(const std::string& element) { return std::min(element.find('.'), element.size()); }

  /// Pads `element` on both sides, so that all decimal points stand in one column.
  std::string aligned(const std::string& element) const {
    const std::size_t left = point(element), right = element.size() - left;
    return std::string(left_ - left, ' ') + element + std::string(right_ - right, ' ');
  }

  std::string text(std::int64_t i) const { return element_text(tensor_, i, options_.digits); }

  template <class F>
  void visit(int dim, std::int64_t index, const F& f) const {
    if (dim == tensor_.shape().rank()) return f(index);
    const Shown range = shown(dim);
    for (std::int64_t i = 0; i < range.size; ++i) {
      if (i == range.skip_from) i = range.skip_to;
      visit(dim + 1, index * range.size + i, f);
    }
  }

  void print(int dim, std::int64_t index) {
    if (dim == tensor_.shape().rank()) return print_word(aligned(text(index)));
    const Shown range = shown(dim);
    out_ += '[';
    ++column_;
    for (std::int64_t i = 0; i < range.size; ++i) {
      if (i > 0) separate(dim);
      if (i == range.skip_from) {
        print_word("...");
        separate(dim);
        i = range.skip_to;
      }
      print(dim + 1, index * range.size + i);
    }
    out_ += ']';
    ++column_;
  }

  void print_word(std::string_view word) {
    out_ += word;
    column_ += word.size();
  }

  // A row starts on a new line. Each dim outside the last two adds one blank line between its blocks.
  void separate(int dim) {
    const int rank = tensor_.shape().rank();
    if (dim < rank - 1) {
      new_line(dim, rank - 1 - dim);
    } else if (column_ + 1 + left_ + right_ >= static_cast<std::size_t>(options_.line_length)) {
      new_line(dim, 1);
    } else {
      print_word(" ");
    }
  }

  void new_line(int dim, int lines) {
    out_.append(static_cast<std::size_t>(lines), '\n');
    column_ = 0;
    print_word(std::string(static_cast<std::size_t>(dim) + 1, ' '));
  }

  const Tensor& tensor_;
  PrintOptions options_;
  bool summarises_;
  // The most characters before a point, the most from a point on, and the characters in the current line.
  std::size_t left_ = 0, right_ = 0, column_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Tensor& tensor, const PrintOptions& options) {
  return Printer(tensor, options).printed();
}

}  // namespace tutti
