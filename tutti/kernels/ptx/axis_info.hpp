// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Facts about the elements of a tensor in row-major order, or about a scalar, known before the kernel runs.
/// All numbers are powers of two, and runs begin at multiples of their length. 1 promises nothing.
struct AxisInfo {
  std::int64_t contiguity = 1;                // elements of a run that rises by 1; of pointers by one pointee
  std::int64_t divisibility = 1;              // of the first element of each such run; of a pointer in bytes
  std::int64_t constancy = 1;                 // elements of a run that are equal
  std::optional<std::int64_t> constant = {};  // every element, of an integer

  bool operator==(const AxisInfo&) const = default;
};

/// By Value::id. Hints are those of arguments and of IntToPtr. Integers wrap around: a run that might cross the end of
/// its type is none once it is widened or compared.
std::vector<AxisInfo> axis_infos(const Function& function);

/// The divisibility of the elements at multiples of `run`. unit: bytes of a pointee, 1 for integers.
std::int64_t divisibility_at(const AxisInfo& info, std::int64_t run, std::int64_t unit);

}  // namespace tutti::kernels
