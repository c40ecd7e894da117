// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/value_type.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace tutti::kernels {
namespace {

struct ScalarInfo {
  std::string_view name;
  int bits;
  int precision = 0;  // bits of a float's significand, the hidden bit included; 0: an integer
  int lowest = 0;     // exponent of the smallest subnormal number
  int highest = 0;    // all numbers are below 2^highest
};

// One entry per Scalar, in the order of the enum.
constexpr std::array scalars{
    ScalarInfo{"i1", 1},
    ScalarInfo{"i8", 8},
    ScalarInfo{"i16", 16},
    ScalarInfo{"i32", 32},
    ScalarInfo{"i64", 64},
    ScalarInfo{"f16", 16, 11, -24, 16},
    ScalarInfo{"bf16", 16, 8, -133, 128},
    ScalarInfo{"f32", 32, 24, -149, 128},
    ScalarInfo{"f64", 64, 53, -1074, 1024},
};

const ScalarInfo& info(Scalar scalar) { return scalars[static_cast<std::size_t>(scalar)]; }

constexpr std::int64_t most_elements = 1 << 20;  // TRITON_MAX_TENSOR_NUMEL

}  // namespace

std::string_view to_string(Scalar scalar) { return info(scalar).name; }
int bits(Scalar scalar) { return info(scalar).bits; }
bool is_float(Scalar scalar) { return info(scalar).precision > 0; }

bool holds(Scalar scalar, std::int64_t value) {
  if (is_float(scalar)) return false;
  if (scalar == Scalar::i1) return value == 0 || value == 1;
  if (scalar == Scalar::i64) return true;
  const std::int64_t half = std::int64_t{1} << (bits(scalar) - 1);
  return -half <= value && value < half;
}

bool holds(Scalar scalar, double value) {
  if (!is_float(scalar)) return false;
  if (!std::isfinite(value) || value == 0) return true;
  const ScalarInfo& type = info(scalar);
  int exponent = 0;  // |value| is in [2^(exponent-1), 2^exponent)
  std::frexp(value, &exponent);
  if (exponent > type.highest) return false;
  const double units = std::ldexp(value, -std::max(exponent - type.precision, type.lowest));
  return units == std::trunc(units);
}

ValueType value_of(Scalar scalar, Dims dims) { return {scalar, false, std::move(dims)}; }
ValueType pointer_to(Scalar scalar, Dims dims) { return {scalar, true, std::move(dims)}; }

std::string to_string(const ValueType& type) {
  std::string text(to_string(type.scalar));
  if (type.pointer) text = fmt::format("!tt.ptr<{}>", text);
  if (type.dims.empty()) return text;
  std::string shape;
  for (std::int64_t dim : type.dims) shape += fmt::format("{}x", dim);
  return fmt::format("tensor<{}{}>", shape, text);
}

bool is_tensor(const ValueType& type) { return !type.dims.empty(); }
bool is_integer(const ValueType& type) { return !type.pointer && !is_float(type.scalar); }
bool is_float(const ValueType& type) { return !type.pointer && is_float(type.scalar); }

ValueType with_dims(ValueType type, Dims dims) {
  type.dims = std::move(dims);
  return type;
}

std::int64_t elements_of(const Dims& dims) {
  std::int64_t count = 1;
  for (std::int64_t dim : dims) count *= dim;
  return count;
}

std::optional<std::string> dims_defect(const Dims& dims) {
  std::int64_t count = 1;
  for (std::int64_t dim : dims) {
    if (dim < 1 || !std::has_single_bit(static_cast<std::uint64_t>(dim)))
      return fmt::format("dim {} is not a power of two", dim);
    if (dim > most_elements / count) return fmt::format("more than {} elements", most_elements);
    count *= dim;
  }
  return std::nullopt;
}

}  // namespace tutti::kernels
