// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/product.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/tensor/products/float_product.hpp"
#include "tutti/tensor/products/one_thread.hpp"

namespace tutti {
namespace {

bool is_empty(const ProductShape& s) { return s.batch == 0 || s.m == 0 || s.n == 0 || s.k == 0; }

std::int64_t elements_of_result(const ProductShape& s) { return s.batch * s.m * s.n; }

/// c[j] += a * b[j] for j < n; for bool c[j] |= a & b[j].
template <class T>
void add_multiple(T* c, T a, const T* b, std::int64_t n) {
  if (a == 0) return;
  for (std::int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_same_v<T, bool>) c[j] = c[j] || b[j];
    else c[j] = wrapping_add(c[j], wrapping_mul(a, b[j]));
  }
}

template <class T>
void transpose(T* to, const T* from, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

/// c += a * b, where b is k x n. Works on blocks of rows of b that stay in L2.
template <class T>
void multiply_matrix(const ProductShape& s, T* c, const T* a, const T* b) {
  const std::int64_t block =
      std::max<std::int64_t>(1, (128 << 10) / (s.n * static_cast<std::int64_t>(sizeof(T))));
  for (std::int64_t first = 0; first < s.k; first += block)
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t k = first; k < std::min(s.k, first + block); ++k)
        add_multiple<T>(c + i * s.n, a[s.a_transposed ? k * s.columns_of_transposed_a() + i : i * s.k + k],
                        b + k * s.n, s.n);
}

template <class T>
void multiply_integers(const ProductShape& s, std::byte* c_bytes, const std::byte* a_bytes,
                       const std::byte* b_bytes, std::byte* scratch) {
  auto* c = reinterpret_cast<T*>(c_bytes);
  auto* a = reinterpret_cast<const T*>(a_bytes);
  auto* b = reinterpret_cast<const T*>(b_bytes);
  auto* b_by_rows = reinterpret_cast<T*>(scratch);
  std::fill_n(c, elements_of_result(s), T{0});
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n) {
    if (s.b_transposed) transpose(b_by_rows, b, s.n, s.k);
    multiply_matrix<T>(s, c, a, s.b_transposed ? b_by_rows : b);
  }
}

/// Scratch of a widened product: both operands as f32 and the unrounded f32 result, each padded to whole
/// cache lines.
struct Widened {
  explicit Widened(const ProductShape& s)
      : a(in_lines(s.batch * s.m * s.k)),
        b(in_lines(s.batch * s.k * s.n)),
        c(in_lines(elements_of_result(s))) {}
  std::size_t bytes() const { return sizeof(float) * static_cast<std::size_t>(a + b + c); }

  std::int64_t a, b, c;  // elements

 private:
  static std::int64_t in_lines(std::int64_t elements) { return (elements + 15) / 16 * 16; }
};

void multiply_widened(DType dtype, const ProductShape& s, const FloatProduct& f32, std::byte* c,
                      const std::byte* a, const std::byte* b, std::byte* scratch) {
  const Widened widened(s);
  auto* wide = reinterpret_cast<float*>(scratch);
  const auto bytes = [&](std::int64_t first) { return reinterpret_cast<std::byte*>(wide + first); };
  std::byte *wide_a = bytes(0), *wide_b = bytes(widened.a), *wide_c = bytes(widened.a + widened.b);
  const ElementwiseKernel widen = convert_kernel(dtype, DType::f32);
  widen(wide_a, &a, s.batch * s.m * s.k);
  widen(wide_b, &b, s.batch * s.k * s.n);
  f32.run(wide_c, wide_a, wide_b, bytes(widened.a + widened.b + widened.c));
  const std::byte* const product[] = {wide_c};
  convert_kernel(DType::f32, dtype)(c, product, elements_of_result(s));
}

bool is_widened(DType dtype) { return is_half(dtype) && !FloatProduct::takes(dtype); }
bool is_by_onednn(DType dtype) { return dtype == DType::f32 || is_half(dtype); }
bool is_by_blas(DType dtype) { return is_inexact(dtype) && !is_by_onednn(dtype); }

/// c = a * b. `floats`: the product of this shape, if oneDNN computes it.
void multiply(DType dtype, const ProductShape& shape, const FloatProduct* floats, std::byte* c,
              const std::byte* a, const std::byte* b, std::byte* scratch) {
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, float>) floats->run(c, a, b, scratch);
    else if constexpr (is_half_element<T>)
      is_widened(dtype) ? multiply_widened(dtype, shape, *floats, c, a, b, scratch)
                        : floats->run(c, a, b, scratch);
    else if constexpr (is_complex_element<T> || std::is_same_v<T, double>)
      multiply_by_blas(dtype, shape, c, a, b);
    else multiply_integers<T>(shape, c, a, b, scratch);
  });
}

/// The blocks of a product. Smaller ones would cost time: a block of rows reads all of B, and oneDNN packs B
/// for each call. Rows of 2048x2048 in blocks of 256 took 1.0 times as long as the whole on AVX-512, and 1.4
/// times without it, in blocks of 512 rows 0.9 to 1.1 times. Rows of 512x512 in blocks of 128 took as long as
/// the whole (a Xeon, 2026-11-28). oneDNN sums other blocks of K for fewer rows where it has no AVX-512.
Product::Lines lines_of(DType dtype, const ProductShape& s) {
  constexpr std::int64_t least_work = 4 << 20;  // multiplications of a block
  if (is_empty(s)) return {1, 1};
  if (s.batch > 1) return {s.batch, std::clamp<std::int64_t>(least_work / (s.m * s.n * s.k), 1, s.batch)};
  const bool is_whole = s.n == 1 || (is_widened(dtype) && s.a_transposed);  // by a vector; packs all of A
  if (is_whole) return {s.m, s.m};
  const std::int64_t least_rows = s.k * s.n <= 1 << 18 ? 128 : 512;
  return {s.m, std::min(s.m, std::max(least_rows, least_work / (s.k * s.n) / 64 * 64))};
}

}  // namespace

struct Product::Prepared {
  DType dtype;
  ProductShape shape;
  Lines lines;
  std::unique_ptr<const FloatProduct> block, last;  // by oneDNN; `last` if the last block is shorter
  std::unique_ptr<const BlasUser> blas_user;

  bool has_batch() const { return shape.batch > 1; }
  /// The product of so many lines.
  ProductShape part(std::int64_t lines) const {
    ProductShape part = shape;
    (has_batch() ? part.batch : part.m) = lines;
    if (!has_batch()) part.stored_m = shape.m;
    return part;
  }
};

Product::Product(DType dtype, const ProductShape& shape) {
  ensure(std::min({shape.batch, shape.m, shape.n, shape.k}) >= 0, "a product of {} x {}x{} and {}x{}",
         shape.batch, shape.m, shape.k, shape.k, shape.n);
  const std::int64_t largest = largest_blas_size();
  require(!is_by_blas(dtype) || std::max({shape.m, shape.n, shape.k}) <= largest, Code::shape,
          "a product of {0}[{1},{2}] and {0}[{2},{3}]: OpenBLAS takes sizes up to {4}; split the larger "
          "dimension",
          name(dtype), shape.m, shape.k, shape.n, largest);
  Prepared made{dtype, shape, lines_of(dtype, shape), nullptr, nullptr, nullptr};
  if (is_by_blas(dtype) && !is_empty(shape)) {
    made.blas_user = std::make_unique<const BlasUser>();
    prepare_blas(
        fmt::format("a {} product of {}x{} and {}x{}", name(dtype), shape.m, shape.k, shape.k, shape.n));
  } else if (is_by_onednn(dtype) && !is_empty(shape)) {
    const auto of = [&](std::int64_t lines) {
      return std::make_unique<const FloatProduct>(is_widened(dtype) ? DType::f32 : dtype, made.part(lines));
    };
    made.block = of(made.lines.block);
    if (const std::int64_t rest = made.lines.count % made.lines.block; rest != 0) made.last = of(rest);
  }
  prepared_ = std::make_unique<const Prepared>(std::move(made));
}

Product::~Product() = default;

std::size_t Product::scratch_bytes() const {
  const Prepared& p = *prepared_;
  if (p.block != nullptr) {
    const std::size_t bytes = std::max(p.block->scratch_bytes(), p.last ? p.last->scratch_bytes() : 0);
    return bytes + (is_widened(p.dtype) ? Widened(p.part(p.lines.block)).bytes() : 0);
  }
  if (is_inexact(p.dtype) || !p.shape.b_transposed) return 0;
  return static_cast<std::size_t>(p.shape.k * p.shape.n) * bytes_per_element(p.dtype);
}

Product::Lines Product::lines() const { return prepared_->lines; }

void Product::run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch,
                  std::int64_t begin, std::int64_t end) const {
  const Prepared& p = *prepared_;
  const ProductShape& s = p.shape;
  const auto element = static_cast<std::int64_t>(bytes_per_element(p.dtype));
  if (is_empty(s)) {
    std::fill_n(c, static_cast<std::size_t>(elements_of_result(s) * element), std::byte{0});
    return;
  }
  const std::int64_t line_of_a = p.has_batch() ? s.m * s.k : s.a_transposed ? 1 : s.k;
  const std::int64_t line_of_b = p.has_batch() ? s.k * s.n : 0, line_of_c = (p.has_batch() ? s.m : 1) * s.n;
  for (; begin < end; begin += p.lines.block) {
    const std::int64_t lines = std::min(p.lines.block, end - begin);
    multiply(p.dtype, p.part(lines), lines == p.lines.block ? p.block.get() : p.last.get(),
             c + begin * line_of_c * element, a + begin * line_of_a * element,
             b + begin * line_of_b * element, scratch);
  }
}

// Constants measured on one core of a Zen 4 with AVX-512, 2026-11: overheads in ns, flops per ns, and bytes
// per ns of operands beyond L2. oneDNN computes whole vectors of 16 columns.
double Product::nanoseconds() const {
  const DType dtype = prepared_->dtype;
  const ProductShape& s = prepared_->shape;
  const auto batch = static_cast<double>(s.batch), m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k);
  const double bytes = batch * (m * k + k * n + m * n) * static_cast<double>(bytes_per_element(dtype));
  const double far_bytes = std::max(0.0, bytes - (512 << 10));
  const std::int64_t whole_vectors = (s.n + 15) / 16 * 16;
  const double widening = is_widened(dtype) ? 0.2 * bytes : 0;
  if (is_by_onednn(dtype))
    return 350 + widening + batch * (50 + 2 * m * k * static_cast<double>(whole_vectors) / 110) +
           far_bytes / 25;
  const double multiplications = is_complex(dtype) ? 4 : 1;
  if (is_by_blas(dtype)) return batch * (40 + multiplications * 2 * m * k * n / 50) + far_bytes / 20;
  return 40 + batch * m * k * (1.5 + 0.65 * n);
}

void use_one_thread_for_products() {
  require_room_for_openmp();
  omp_set_num_threads(1);
}

}  // namespace tutti
