// SPDX-License-Identifier: Apache-2.0
// Plain loops, right and slow: replaced by the libraries next.
#include "tutti/tensor/product.hpp"

#include <type_traits>

namespace tutti {

struct Product::Prepared {
  DType dtype;
  ProductShape shape;
};

Product::Product(DType dtype, const ProductShape& shape) : prepared_(new Prepared{dtype, shape}) {}
Product::~Product() = default;

std::size_t Product::scratch_bytes() const { return 0; }

double Product::nanoseconds() const {
  const ProductShape& s = prepared_->shape;
  return 250 + 0.02 * static_cast<double>(s.batch * s.m * s.n * s.k);
}

namespace {

template <class T>
void multiply(const ProductShape& s, std::byte* c_bytes, const std::byte* a_bytes, const std::byte* b_bytes) {
  using U = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                        std::make_unsigned<T>, std::type_identity<T>>::type;
  auto* c = reinterpret_cast<U*>(c_bytes);
  auto* a = reinterpret_cast<const U*>(a_bytes);
  auto* b = reinterpret_cast<const U*>(b_bytes);
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n)
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < s.n; ++j) {
        U sum{};
        for (std::int64_t k = 0; k < s.k; ++k) {
          U x = a[s.a_transposed ? k * s.m + i : i * s.k + k];
          U y = b[s.b_transposed ? j * s.k + k : k * s.n + j];
          if constexpr (std::is_same_v<U, bool>)
            sum = sum || (x && y);
          else
            sum += x * y;
        }
        c[i * s.n + j] = sum;
      }
}

}  // namespace

void Product::run(std::byte* c, const std::byte* a, const std::byte* b, std::byte*) const {
  const ProductShape& shape = prepared_->shape;
  switch (prepared_->dtype) {
    case DType::boolean: return multiply<bool>(shape, c, a, b);
    case DType::i32: return multiply<std::int32_t>(shape, c, a, b);
    case DType::i64: return multiply<std::int64_t>(shape, c, a, b);
    case DType::f32: return multiply<float>(shape, c, a, b);
    case DType::f64: return multiply<double>(shape, c, a, b);
  }
}

void use_one_thread_for_products() {}

}  // namespace tutti
