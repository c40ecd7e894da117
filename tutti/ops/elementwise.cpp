// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/elementwise.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {

std::string ops::conversion_to(DType dtype) {
  return fmt::format("convert(x, DType::{})", dtype == DType::boolean ? "boolean" : name(dtype));
}

std::string ops::order_of(DType dtype) {
  if (is_inexact(dtype)) return "FLOAT";
  return dtype == DType::boolean || is_unsigned(dtype) ? "UNSIGNED" : "SIGNED";
}

void ops::require_order(Type x) {
  require(!is_complex(x.dtype()), Code::dtype,
          "{} is complex and has no order; use real(x), imag(x) or abs(x)", x);
}

namespace {

/// One that loses little of both: the later, or what is wider than a half, or a complex one of as many
/// digits.
DType joint(DType a, DType b) {
  DType later = std::max(a, b), other = std::min(a, b);
  if (is_half(later)) return DType::f32;
  return later == DType::complex64 && other == DType::f64 ? DType::complex128 : later;
}

}  // namespace

// Every equation comes here, several times: types are written out only for one that is wrong.
void ops::require_same_dtype(Type a, Type b) {
  if (a.dtype() != b.dtype())
    fail(Code::dtype, "{} and {} have different dtypes; convert one of them: {}", to_string(a), to_string(b),
         conversion_to(joint(a.dtype(), b.dtype())));
}

void ops::require_same_elements(Type a, Type b) {
  require_same_dtype(a, b);
  if (a.shape() != b.shape())
    fail(Code::shape, "{} and {} have different shapes; use broadcast_in_dim first", to_string(a),
         to_string(b));
}

}  // namespace tutti
