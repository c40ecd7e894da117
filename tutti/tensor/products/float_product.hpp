// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/products/product.hpp"

namespace tutti {

/// A prepared matrix product of f32 or bf16 by oneDNN; bf16 is accumulated in f32 and rounded once. No size
/// is 0.
/// The constructor makes the oneDNN primitive and all that calls need. Calls from several threads may
/// overlap.
/// Throws R003 if oneDNN has no memory for its code.
class FloatProduct {
 public:
  /// True for f32, and for bf16 on x86-64 with AVX-512, which oneDNN needs.
  static bool takes(DType dtype);
  FloatProduct(DType dtype, const ProductShape& shape);
  ~FloatProduct();
  FloatProduct(const FloatProduct&) = delete;
  FloatProduct& operator=(const FloatProduct&) = delete;

  std::size_t scratch_bytes() const;
  void run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) const;

 private:
  struct Primitive;
  static void call_small_one(DType dtype);
  std::unique_ptr<Primitive> primitive_;
};

}  // namespace tutti
