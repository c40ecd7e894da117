// SPDX-License-Identifier: Apache-2.0
// JAX computes the position along an axis from the number of the device: number / stride % size. The types of
// the quotient would say that it varies along all axes.
#pragma once

#include <optional>

#include "tutti/read/reading.hpp"

namespace tutti {

/// The digits that a quotient or remainder by `number` keeps; none where it cuts through a digit.
std::optional<DeviceDigits> digits_of_quotient(const DeviceDigits& digits, double number);
std::optional<DeviceDigits> digits_of_remainder(const DeviceDigits& digits, double number);

/// The axes of `mesh`, in order, whose joint position these digits are; none if they are no whole axes, or
/// one of them is not in `bound`.
std::optional<Axes> axes_of_digits(const DeviceDigits& digits, const Mesh& mesh, const Axes& bound);

/// axis_index of these axes in all elements, i32; zeros without axes.
Array position_along(const Axes& axes, const Shape& shape);

}  // namespace tutti
