// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tutti/types/dtype.hpp"

namespace tutti {

/// Sizes of a batched product, C[b] = A[b] * B[b] for b < batch. C is m x n, A is m x k, B is k x n, all
/// dense and row-major. A transposed A is stored k x m, a transposed B n x k.
struct ProductShape {
  std::int64_t batch = 1, m, n, k;
  bool a_transposed = false, b_transposed = false;
  std::optional<std::int64_t> stored_m =
      {};  // a transposed A is stored k x stored_m; its first m columns count
  bool operator==(const ProductShape&) const = default;

  std::int64_t columns_of_transposed_a() const { return stored_m.value_or(m); }
};

/// A prepared matrix product: by oneDNN for f32, f16 and bf16, by OpenBLAS for f64 and complex numbers (never
/// conjugated), by plain loops for integers and bool (`or` of `and`s). f16 is widened to f32 and rounded
/// once, and so is bf16 without AVX-512. A call runs on the calling thread alone. Calls may overlap, each
/// with scratch of its own.
/// The bits depend only on shape and operands. A large product is computed in blocks: threads can share it.
class Product {
 public:
  Product(DType dtype, const ProductShape& shape);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  std::size_t scratch_bytes() const;
  double nanoseconds() const;  // estimate for the whole product
  /// The rows of C, or its matrices if there is a batch. A call computes whole blocks of `block` ones; the
  /// last block may be shorter.
  struct Lines {
    std::int64_t count, block;
  };
  Lines lines() const;
  /// Computes the lines [begin, end) of the operands' product.
  void run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch, std::int64_t begin,
           std::int64_t end) const;
  void run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) const {
    run(c, a, b, scratch, 0, lines().count);
  }

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

/// Makes OpenMP use one thread for the calling thread from now on, also outside of products. For threads of
/// our own:
/// on other threads a product makes that setting only while it runs.
/// Throws R003 without memory for OpenMP's settings of the thread.
void use_one_thread_for_products();

}  // namespace tutti
