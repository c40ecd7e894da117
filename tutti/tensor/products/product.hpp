// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tutti/types/dtype.hpp"

namespace tutti {

/// C[b] = A[b] * B[b] for b < batch; C is M x N, A is M x K, B is K x N; all dense and row-major. A
/// transposed operand is stored K x M or N x K.
struct ProductShape {
  std::int64_t batch = 1, m, n, k;
  bool a_transposed = false, b_transposed = false;
  bool operator==(const ProductShape&) const = default;
};

/// A prepared matrix product: oneDNN for f32, bf16 and (widened to f32, rounded once)
/// f16; OpenBLAS for f64 and complex numbers (never conjugated), plain loops for integers and bool (or of
/// ands). One call runs on the calling thread alone; calls may run at the same time, each with scratch of its
/// own. The bits depend on the shape and the operands only.
class Product {
 public:
  Product(DType dtype, const ProductShape& shape);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  std::size_t scratch_bytes() const;
  double nanoseconds() const;  // estimate for one call
  void run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

/// OpenMP uses one thread for the calling thread from now on, also outside of products. For threads of our own; a
/// product on another thread sees to that itself.
/// Throws R003 without memory for OpenMP's settings of the thread.
void use_one_thread_for_products();

}  // namespace tutti
