// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/tensor/products/product.hpp"

namespace tutti {

/// f32 and bf16 products by oneDNN, those accumulated in f32 and rounded once: one primitive, made once with all that
/// calls need; calls from several threads may overlap. No size is 0.
/// Throws R003 where oneDNN has no memory for its code.
class FloatProduct {
 public:
  /// For bf16 oneDNN wants AVX-512.
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
