// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/maps/digits.hpp"

#include <algorithm>
#include <cmath>

#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/constant.hpp"

namespace tutti {
namespace {

std::optional<std::int64_t> whole(double number) {
  if (!(number >= 1 && number <= 1e9) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

std::optional<DeviceDigits> digits_of_quotient(const DeviceDigits& digits, double number) {
  const auto divisor = whole(number);
  if (!divisor) return std::nullopt;
  if (*divisor >= digits.modulus) return DeviceDigits{digits.divisor * digits.modulus, 1};
  if (digits.modulus % *divisor != 0) return std::nullopt;
  return DeviceDigits{digits.divisor * *divisor, digits.modulus / *divisor};
}

std::optional<DeviceDigits> digits_of_remainder(const DeviceDigits& digits, double number) {
  const auto modulus = whole(number);
  if (!modulus) return std::nullopt;
  if (*modulus >= digits.modulus) return digits;
  if (digits.modulus % *modulus != 0) return std::nullopt;
  return DeviceDigits{digits.divisor, *modulus};
}

std::optional<Axes> axes_of_digits(const DeviceDigits& digits, const Mesh& mesh, const Axes& bound) {
  Axes axes;
  std::int64_t positions = 1;
  for (const Axis& axis : mesh.axes()) {
    const std::int64_t stride = mesh.stride(axis);
    const bool is_inside = stride >= digits.divisor && stride * axis.size <= digits.divisor * digits.modulus;
    if (axis.size == 1 || !is_inside) continue;
    if (!contains(bound, axis)) return std::nullopt;
    axes.push_back(axis);
    positions *= axis.size;
  }
  if (positions != digits.modulus) return std::nullopt;
  return axes;
}

Array position_along(const Axes& axes, const Shape& shape) {
  if (axes.empty()) return broadcast_in_dim(constant(0), shape, {});
  return broadcast_in_dim(axis_index(axes), shape, {});
}

}  // namespace tutti
