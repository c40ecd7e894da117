// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/product.hpp"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "tutti/base/require.hpp"
#include "tutti/tensor/float_product.hpp"

extern "C" void omp_set_num_threads(int);

namespace tutti {
namespace {

bool is_empty(const ProductShape& s) { return s.batch == 0 || s.m == 0 || s.n == 0 || s.k == 0; }

std::int64_t elements_of_result(const ProductShape& s) { return s.batch * s.m * s.n; }

void multiply_f64(const ProductShape& s, double* c, const double* a, const double* b) {
  const auto transposed = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
  const auto size = [](std::int64_t n) { return static_cast<blasint>(n); };
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n)
    cblas_dgemm(CblasRowMajor, transposed(s.a_transposed), transposed(s.b_transposed), size(s.m), size(s.n),
                size(s.k), 1, a, size(s.a_transposed ? s.m : s.k), b, size(s.b_transposed ? s.k : s.n), 0, c,
                size(s.n));
}

/// Unsigned, so that sums wrap; bool as bytes 0 and 1.
template <class T>
using Wrapping = typename std::conditional_t<
    std::is_same_v<T, bool>, std::type_identity<std::uint8_t>,
    std::make_unsigned<std::conditional_t<std::is_same_v<T, bool>, int, T>>>::type;

template <class T>
void add_multiple(Wrapping<T>* c, Wrapping<T> a, const Wrapping<T>* b, std::int64_t n) {
  if (a == 0) return;
  for (std::int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_same_v<T, bool>) c[j] |= b[j];
    else c[j] += a * b[j];
  }
}

template <class T>
void transpose(T* to, const T* from, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

/// c, already zero, plus a * b; b is k x n. In blocks of rows of b that stay in L2.
template <class T>
void multiply_matrix(const ProductShape& s, Wrapping<T>* c, const Wrapping<T>* a, const Wrapping<T>* b) {
  const std::int64_t block =
      std::max<std::int64_t>(1, (128 << 10) / (s.n * static_cast<std::int64_t>(sizeof(T))));
  for (std::int64_t first = 0; first < s.k; first += block)
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t k = first; k < std::min(s.k, first + block); ++k)
        add_multiple<T>(c + i * s.n, a[s.a_transposed ? k * s.m + i : i * s.k + k], b + k * s.n, s.n);
}

template <class T>
void multiply_integers(const ProductShape& s, std::byte* c_bytes, const std::byte* a_bytes,
                       const std::byte* b_bytes, std::byte* scratch) {
  using U = Wrapping<T>;
  auto* c = reinterpret_cast<U*>(c_bytes);
  auto* a = reinterpret_cast<const U*>(a_bytes);
  auto* b = reinterpret_cast<const U*>(b_bytes);
  auto* b_by_rows = reinterpret_cast<U*>(scratch);
  std::fill_n(c, elements_of_result(s), U{0});
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n) {
    if (s.b_transposed) transpose(b_by_rows, b, s.n, s.k);
    multiply_matrix<T>(s, c, a, s.b_transposed ? b_by_rows : b);
  }
}

bool is_library_product(DType dtype) { return is_float(dtype); }

}  // namespace

struct Product::Prepared {
  DType dtype;
  ProductShape shape;
  std::unique_ptr<const FloatProduct> f32;
};

Product::Product(DType dtype, const ProductShape& shape) {
  ensure(std::min({shape.batch, shape.m, shape.n, shape.k}) >= 0, "a product of {} x {}x{} and {}x{}",
         shape.batch, shape.m, shape.k, shape.k, shape.n);
  constexpr std::int64_t largest = std::numeric_limits<blasint>::max();
  require(dtype != DType::f64 || std::max({shape.m, shape.n, shape.k}) <= largest, Code::shape,
          "a product of f64[{},{}] and f64[{},{}]: OpenBLAS takes sizes up to {}; split the larger dimension",
          shape.m, shape.k, shape.k, shape.n, largest);
  const bool by_onednn = dtype == DType::f32 && !is_empty(shape);
  if (dtype == DType::f64 && openblas_get_num_threads() != 1) openblas_set_num_threads(1);
  prepared_ = std::make_unique<const Prepared>(
      Prepared{dtype, shape, by_onednn ? std::make_unique<const FloatProduct>(shape) : nullptr});
}

Product::~Product() = default;

std::size_t Product::scratch_bytes() const {
  const auto& [dtype, shape, f32] = *prepared_;
  if (f32 != nullptr) return f32->scratch_bytes();
  if (is_library_product(dtype) || !shape.b_transposed) return 0;
  return static_cast<std::size_t>(shape.k * shape.n) * bytes_per_element(dtype);
}

void Product::run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) const {
  const auto& [dtype, shape, f32] = *prepared_;
  if (is_empty(shape)) {
    std::fill_n(c, static_cast<std::size_t>(elements_of_result(shape)) * bytes_per_element(dtype),
                std::byte{0});
    return;
  }
  switch (dtype) {
    case DType::boolean: return multiply_integers<bool>(shape, c, a, b, scratch);
    case DType::i32: return multiply_integers<std::int32_t>(shape, c, a, b, scratch);
    case DType::i64: return multiply_integers<std::int64_t>(shape, c, a, b, scratch);
    case DType::f32: return f32->run(c, a, b, scratch);
    case DType::f64:
      return multiply_f64(shape, reinterpret_cast<double*>(c), reinterpret_cast<const double*>(a),
                          reinterpret_cast<const double*>(b));
  }
}

// Constants from one core of a Zen 4 with AVX-512, 2026-11: overheads, flops per ns, and bytes per ns of what
// does not fit in L2. oneDNN computes whole vectors of 16 columns.
double Product::nanoseconds() const {
  const auto& [dtype, s, f32] = *prepared_;
  const auto batch = static_cast<double>(s.batch), m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k);
  const double bytes = batch * (m * k + k * n + m * n) * static_cast<double>(bytes_per_element(dtype));
  const double far_bytes = std::max(0.0, bytes - (512 << 10));
  const std::int64_t whole_vectors = (s.n + 15) / 16 * 16;
  if (dtype == DType::f32)
    return 350 + batch * (50 + 2 * m * k * static_cast<double>(whole_vectors) / 110) + far_bytes / 25;
  if (dtype == DType::f64) return batch * (40 + 2 * m * k * n / 50) + far_bytes / 20;
  return 40 + batch * m * k * (1.5 + 0.65 * n);
}

void use_one_thread_for_products() {
  omp_set_num_threads(1);
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
}

}  // namespace tutti
