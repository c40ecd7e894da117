// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::kernels {

/// The types of the elements; integers have no sign of their own.
enum class Scalar { i1, i8, i16, i32, i64, f16, bf16, f32, f64 };

std::string_view to_string(Scalar scalar);  // "bf16"
/// The number of bits.
int bits(Scalar scalar);
/// True for f16, bf16, f32 and f64.
bool is_float(Scalar scalar);
/// True if the type represents this number exactly. Integers are signed, i1 has 0 and 1, floats have
/// infinities and NaN.
bool holds(Scalar scalar, std::int64_t value);
bool holds(Scalar scalar, double value);

using Dims = std::vector<std::int64_t>;

/// The type of a value in a kernel: a scalar, a pointer to scalars, or a tensor of scalars or pointers.
/// Dims of tensors are powers of two, and a tensor has at most 2^20 elements (dims_defect()).
struct ValueType {
  Scalar scalar = Scalar::i32;
  bool pointer = false;
  Dims dims = {};  // empty: one scalar or pointer

  bool operator==(const ValueType&) const = default;
};

std::string to_string(const ValueType& type);  // "i32", "!tt.ptr<f32>", "tensor<8x!tt.ptr<f32>>"

/// A scalar, or a tensor of scalars.
ValueType value_of(Scalar scalar, Dims dims = {});
/// A pointer, or a tensor of pointers.
ValueType pointer_to(Scalar scalar, Dims dims = {});

/// True if the type has dims.
bool is_tensor(const ValueType& type);
bool is_integer(const ValueType& type);  // not a pointer
bool is_float(const ValueType& type);    // not a pointer
/// The same element type with other dims.
ValueType with_dims(ValueType type, Dims dims);
/// The product of the dims.
std::int64_t elements_of(const Dims& dims);
/// Explains why Triton would refuse a tensor of these dims; nullopt if Triton takes it.
std::optional<std::string> dims_defect(const Dims& dims);

}  // namespace tutti::kernels
