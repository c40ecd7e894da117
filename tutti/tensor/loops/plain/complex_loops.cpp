// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/complex_loops.hpp"

#include <algorithm>
#include <complex>

#include "tutti/tensor/loops/plain/pairwise_lines.hpp"
#include "tutti/tensor/loops/plain/plain_loop.hpp"

namespace tutti {
namespace {

// log1p, expm1, sign and the functions of in_double of complex64 are computed in double, where differences
// keep their digits and nothing overflows. complex128 has no wider type: long double differs from processor
// to processor.

/// The rounded sum of two numbers, and the rounding error `rest` (Knuth's TwoSum).
struct Sum {
  Sum(double a, double b) : rounded(a + b) {
    const double rounded_b = rounded - a;
    rest = (a - (rounded - rounded_b)) + (b - rounded_b);
  }
  double rounded, rest;
};

/// |1 + z|^2 - 1 = 2x + x^2 + y^2. The terms cancel if the result is small, so their rounding errors are
/// added, too.
double excess_of_square(double x, double y) {
  const double x_square = x * x, y_square = y * y;
  const double rests = std::fma(x, x, -x_square) + std::fma(y, y, -y_square);
  const Sum first(2 * x, x_square), all(first.rounded, y_square);
  return all.rounded + (first.rest + all.rest + rests);
}

std::complex<double> log1p_of(std::complex<double> z) {
  const double x = z.real(), y = z.imag(), one_more = 1 + x, size = std::hypot(one_more, y);
  const bool is_far_from_1 = size < 0.5 || size > 2;  // 1 + x is exact if `size` is below 0.5
  const double real = is_far_from_1 ? std::log(size) : std::log1p(excess_of_square(x, y)) / 2;
  return {real, std::atan2(y, one_more)};
}

/// exp(x) * factor, also where exp(x) alone overflows.
double exp_times(double x, double factor) {
  constexpr double safe = 700;
  if (x <= safe) return std::exp(x) * factor;
  const double root = std::exp(x / 4);
  return factor * root * root * root * root;
}

std::complex<double> expm1_of(std::complex<double> z) {
  const double x = z.real(), y = z.imag(), half_sine = std::sin(y / 2);
  constexpr double one_is_lost_from = 40;  // exp(x) - 1 rounds to exp(x)
  const double real = x > one_is_lost_from ? exp_times(x, std::cos(y))
                                           : std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine;
  const double imag = y == 0 ? y : exp_times(x, std::sin(y));  // avoids infinity times 0
  return {real, imag};
}

std::complex<double> sign_of(std::complex<double> z) {
  if (z == 0.0) return z;
  double x = z.real(), y = z.imag();
  const double largest = std::max(std::abs(x), std::abs(y));
  if (largest > 0 && std::isfinite(largest)) {
    // Scaled like this, |z| neither overflows nor loses digits below the smallest normal number.
    const int exponent = std::ilogb(largest);
    x = std::scalbn(x, -exponent);
    y = std::scalbn(y, -exponent);
  }
  const double size = std::hypot(x, y);
  return {x / size, y / size};
}

// std::pow, with pow(z, 0) = 1 for all z, and pow(0, z) = 0 if z has a positive real part.
template <class T>
std::complex<T> pow_of(std::complex<T> base, std::complex<T> exponent) {
  if (exponent == T{0}) return 1;
  if (base == T{0} && exponent.real() > 0) return 0;
  return std::pow(base, exponent);
}

template <class T, class F>
std::complex<T> in_double(std::complex<T> z, F function) {
  return std::complex<T>(function(std::complex<double>(z)));
}

template <UnaryFn fn>
struct Unary {
  template <class T>
  auto operator()(std::complex<T> z) const {
    const T one{1};
    if constexpr (fn == UnaryFn::neg) return -z;
    if constexpr (fn == UnaryFn::exp) return std::exp(z);
    if constexpr (fn == UnaryFn::log) return std::log(z);
    if constexpr (fn == UnaryFn::tanh) return std::tanh(z);
    if constexpr (fn == UnaryFn::sqrt) return std::sqrt(z);
    if constexpr (fn == UnaryFn::rsqrt) return one / std::sqrt(z);
    if constexpr (fn == UnaryFn::logistic) return one / (one + std::exp(-z));
    if constexpr (fn == UnaryFn::sin) return std::sin(z);
    if constexpr (fn == UnaryFn::cos) return std::cos(z);
    if constexpr (fn == UnaryFn::log1p) return std::complex<T>(log1p_of(std::complex<double>(z)));
    if constexpr (fn == UnaryFn::expm1) return std::complex<T>(expm1_of(std::complex<double>(z)));
    if constexpr (fn == UnaryFn::sign) return std::complex<T>(sign_of(std::complex<double>(z)));
    if constexpr (fn == UnaryFn::tan) return in_double(z, [](auto w) { return std::tan(w); });
    if constexpr (fn == UnaryFn::asin) return in_double(z, [](auto w) { return std::asin(w); });
    if constexpr (fn == UnaryFn::acos) return in_double(z, [](auto w) { return std::acos(w); });
    if constexpr (fn == UnaryFn::atan) return in_double(z, [](auto w) { return std::atan(w); });
    if constexpr (fn == UnaryFn::sinh) return in_double(z, [](auto w) { return std::sinh(w); });
    if constexpr (fn == UnaryFn::cosh) return in_double(z, [](auto w) { return std::cosh(w); });
    if constexpr (fn == UnaryFn::asinh) return in_double(z, [](auto w) { return std::asinh(w); });
    if constexpr (fn == UnaryFn::acosh) return in_double(z, [](auto w) { return std::acosh(w); });
    if constexpr (fn == UnaryFn::atanh) return in_double(z, [](auto w) { return std::atanh(w); });
    if constexpr (fn == UnaryFn::abs) return std::abs(z);
    if constexpr (fn == UnaryFn::real) return z.real();
    if constexpr (fn == UnaryFn::imag) return z.imag();
  }
};

template <UnaryFn fn, class T>
ElementwiseKernel unary_of() {
  using Out = decltype(Unary<fn>()(std::complex<T>()));
  return plain_kernel<Unary<fn>, Out, std::complex<T>>(Stride::dense);
}

template <class T>
ElementwiseKernel unary_of(UnaryFn fn) {
  using enum UnaryFn;
  return for_fn<neg, exp, log, tanh, sqrt, rsqrt, logistic, abs, sign, sin, cos, log1p, expm1, tan, asin,
                acos, atan, sinh, cosh, asinh, acosh, atanh, real, imag>(
      fn, []<UnaryFn of>() -> ElementwiseKernel { return unary_of<of, T>(); });
}

template <BinaryFn fn>
struct Binary {
  template <class T>
  std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    if constexpr (fn == BinaryFn::add) return a + b;
    if constexpr (fn == BinaryFn::sub) return a - b;
    if constexpr (fn == BinaryFn::mul)  // as in XLA; std::complex has an extra branch for NaN
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    if constexpr (fn == BinaryFn::div) return a / b;
    if constexpr (fn == BinaryFn::pow) return pow_of(a, b);
  }
};

template <BinaryFn fn, class T>
ElementwiseKernel binary_of(Stride a, Stride b) {
  return plain_kernel<Binary<fn>, std::complex<T>, std::complex<T>>(a, b);
}

template <class T>
ElementwiseKernel binary_of(BinaryFn fn, Stride a, Stride b) {
  using enum BinaryFn;
  return for_fn<add, sub, mul, div, pow>(fn, [&]<BinaryFn of>() -> ElementwiseKernel {
    return binary_of<of, T>(a, b);
  });
}

struct OfParts {
  template <class T>
  std::complex<T> operator()(T real, T imag) const {
    return {real, imag};
  }
};

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return !(a == b);
  }
};

template <class T>
ElementwiseKernel compare_of(CompareDirection direction, Stride a, Stride b) {
  if (direction == CompareDirection::eq) return plain_kernel<Equal, bool, std::complex<T>>(a, b);
  if (direction == CompareDirection::ne) return plain_kernel<NotEqual, bool, std::complex<T>>(a, b);
  return nullptr;
}

// --- Sums, part by part

template <class T>
struct Sums {
  static constexpr std::int64_t block = 512;

  static void rows(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                   std::int64_t row_bytes) {
    for (std::int64_t row = 0; row < rows; ++row, in += row_bytes, out += 2 * sizeof(T))
      sum_row(out, in, columns);
  }

  // A row of n complex numbers is a row of 2n parts.
  static void columns(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes, std::byte* scratch) {
    reduce_columns_kernel(ReduceKind::sum, dtype_of<T>())(out, in, rows, 2 * columns, row_bytes, scratch);
  }
  static void positions(std::byte* out, const std::byte* const* in, int count, std::int64_t n, Load load,
                        Store store) {
    fold_kernel(ReduceKind::sum, dtype_of<T>())(out, in, count, 2 * n, load, store);
  }

 private:
  static void sum_row(std::byte* out, const std::byte* row, std::int64_t columns) {
    const ReduceRowsKernel sum = reduce_rows_kernel(ReduceKind::sum, dtype_of<T>());
    PairwiseLines<T, 2> sums(ReduceKind::sum, 2);
    auto* from = reinterpret_cast<const T*>(row);
    alignas(64) T parts[2][block];
    std::int64_t left = columns;
    do {
      const std::int64_t width = std::min(block, left);
      for (std::int64_t i = 0; i < width; ++i) {
        parts[0][i] = *from++;
        parts[1][i] = *from++;
      }
      sum(reinterpret_cast<std::byte*>(sums.next()), reinterpret_cast<const std::byte*>(parts), 2, width,
          sizeof parts[0]);
      sums.push();
      left -= width;
    } while (left > 0);
    std::copy_n(sums.folded(), 2, reinterpret_cast<T*>(out));
  }
};

// --- Products, in the order of the elements: n - 1 products

template <class T>
struct Products {
  using Complex = std::complex<T>;

  static void rows(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                   std::int64_t row_bytes) {
    for (std::int64_t row = 0; row < rows; ++row, in += row_bytes) {
      auto* from = reinterpret_cast<const Complex*>(in);
      Complex product(1);
      for (std::int64_t c = 0; c < columns; ++c) product = c == 0 ? from[c] : product * from[c];
      reinterpret_cast<Complex*>(out)[row] = product;
    }
  }
  static void columns(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                      std::int64_t row_bytes, std::byte*) {
    auto* to = reinterpret_cast<Complex*>(out);
    if (rows == 0) std::fill_n(to, columns, Complex(1));
    for (std::int64_t row = 0; row < rows; ++row, in += row_bytes) {
      auto* from = reinterpret_cast<const Complex*>(in);
      for (std::int64_t c = 0; c < columns; ++c) to[c] = row == 0 ? from[c] : to[c] * from[c];
    }
  }
};

}  // namespace

ElementwiseKernel complex_unary_kernel(UnaryFn fn, DType dtype) {
  return dtype == DType::complex64 ? unary_of<float>(fn) : unary_of<double>(fn);
}

ElementwiseKernel complex_binary_kernel(BinaryFn fn, DType dtype, Stride a, Stride b) {
  return dtype == DType::complex64 ? binary_of<float>(fn, a, b) : binary_of<double>(fn, a, b);
}

ElementwiseKernel complex_kernel_of_parts(DType part, Stride real, Stride imag) {
  return part == DType::f32 ? plain_kernel<OfParts, std::complex<float>, float>(real, imag)
                            : plain_kernel<OfParts, std::complex<double>, double>(real, imag);
}

ElementwiseKernel complex_compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b) {
  return dtype == DType::complex64 ? compare_of<float>(direction, a, b) : compare_of<double>(direction, a, b);
}

ReduceRowsKernel complex_reduce_rows_kernel(ReduceKind kind, DType dtype) {
  if (kind == ReduceKind::prod)
    return dtype == DType::complex64 ? Products<float>::rows : Products<double>::rows;
  if (kind != ReduceKind::sum) return nullptr;
  return dtype == DType::complex64 ? Sums<float>::rows : Sums<double>::rows;
}

ReduceColumnsKernel complex_reduce_columns_kernel(ReduceKind kind, DType dtype) {
  if (kind == ReduceKind::prod)
    return dtype == DType::complex64 ? Products<float>::columns : Products<double>::columns;
  if (kind != ReduceKind::sum) return nullptr;
  return dtype == DType::complex64 ? Sums<float>::columns : Sums<double>::columns;
}

FoldKernel complex_fold_kernel(ReduceKind kind, DType dtype) {
  if (kind != ReduceKind::sum) return nullptr;
  return dtype == DType::complex64 ? Sums<float>::positions : Sums<double>::positions;
}

}  // namespace tutti
