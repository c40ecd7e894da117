// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Static facts about the elements of a tensor in row-major order, or about a scalar.
/// Lengths and divisors are powers of two, and runs begin at multiples of their length. 1 promises nothing.
struct AxisInfo {
  std::int64_t contiguity = 1;    // length of runs that rise by 1, or by one pointee for pointers
  std::int64_t divisibility = 1;  // divisor of the first element of each such run; pointers: in bytes
  std::int64_t constancy = 1;     // length of runs of equal elements
  std::optional<std::int64_t> constant = {};  // the value of every element; integers only

  bool operator==(const AxisInfo&) const = default;
};

/// Computes the facts about all values, by Value::id. Facts start from the hints of arguments and IntToPtr.
/// Integers wrap around: widening or comparing a run that might cross the end of its type ends the run.
std::vector<AxisInfo> axis_infos(const Function& function);

/// Returns the divisibility of elements at multiples of `run`. unit: bytes of a pointee, 1 for integers.
std::int64_t divisibility_at(const AxisInfo& info, std::int64_t run, std::int64_t unit);

}  // namespace tutti::kernels
