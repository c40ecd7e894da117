// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "tutti/stablehlo/tree.hpp"

namespace tutti {

/// Which integers of a function are known to lie in a range before it runs: constants, the numbers of
/// devices, and what is computed from them. A range begins at 0 or later and ends below 2^31, so no op on two
/// of them has wrapped.
class KnownRanges {
 public:
  /// `devices`: of the mesh. They bound stablehlo.partition_id.
  explicit KnownRanges(std::int64_t devices) : devices_(devices) {}

  /// Learns about the result of an operation whose operands were noted before.
  void note(const stablehlo::Operation& operation);
  /// True if all elements of `value` are known to lie in [0, last].
  bool lies_in(stablehlo::Value value, std::int64_t last) const;

  struct Range {
    std::int64_t least, most;
  };

 private:
  std::optional<Range> range_of(const stablehlo::Operation& operation,
                                const stablehlo::TensorType& type) const;

  std::int64_t devices_;
  std::map<int, Range> ranges_;  // by the number of the value
};

}  // namespace tutti
