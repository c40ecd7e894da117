// SPDX-License-Identifier: Apache-2.0
// Lists of dims: as users hand them in, as ops print and lower them.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"
#include "tutti/types/type.hpp"

namespace tutti::internal {

struct AllDims {};

}  // namespace tutti::internal

namespace tutti {

inline constexpr internal::AllDims all_dims{};

}  // namespace tutti

namespace tutti::internal {

/// Some dims of an operand: one, several in any order, or all_dims. Negative ones count from the end.
class WhichDims {
 public:
  WhichDims(AllDims) {}
  WhichDims() : dims_{std::vector<int>()} {}
  /// Whole numbers: `0`, `{0, -1}`. This is a template because GCC 12 drops the names of {.keepdims = true},
  /// and a constructor of int would take what is left for the dim 1.
  template <std::integral... N>
    requires(sizeof...(N) > 0 && !(std::same_as<N, bool> || ...))
  WhichDims(N... dims) : dims_{{as_int(dims)...}} {}
  WhichDims(std::vector<int> dims) : dims_(std::move(dims)) {}
  WhichDims(const Dims& dims);

  /// Ascending. Throws T006 for one that is out of range.
  Dims resolve(Type x) const;

 private:
  /// No array has a dim that an int cannot number.
  static constexpr int as_int(std::integral auto dim) {
    return std::in_range<int>(dim) ? static_cast<int>(dim) : std::numeric_limits<int>::max();
  }

  std::optional<std::vector<int>> dims_;  // none: all
};

}  // namespace tutti::internal

namespace tutti::ops {

/// Dims counted from 0, in the order given; negative ones count from the end. Throws T006 if out of range.
Dims as_dims(const std::vector<int>& dims, Type x);
/// 0, 1, .., rank - 1.
Dims dims_of(int rank);
/// Those of 0 .. rank - 1 that are not in `dims`, ascending.
Dims other_dims(int rank, const Dims& dims);
/// Every dim `by` further to the right: what an op's dims are under a batch dim.
Dims shifted(Dims dims, int by);
/// True if `dim` is one of `dims`.
bool contains(const Dims& dims, Dim dim);
/// The sizes before and after one dim of a dense array.
AlongDim along_dim(const Shape& shape, Dim dim);

/// Elements that indices of i32 tell apart: the last one is 2^31 - 1.
inline constexpr std::int64_t most_numbered_by_i32 = std::int64_t{1} << 31;

/// The indices alone, as StableHLO has them.
std::vector<std::int64_t> indices(const Dims& dims);
/// The numbers in brackets: "[0, 2]".
std::string to_string(const Dims& dims);
std::string bracketed(const std::vector<std::int64_t>& numbers);

/// Throws T006 if one of `dims` is not a dim of `whose`; `label` is the constraint: "reduce_c4".
void require_in_range(const Dims& dims, Type whose, std::string_view label);
/// Throws T006 if one of `dims` is named twice.
void require_distinct(const Dims& dims, Type whose, std::string_view label);

}  // namespace tutti::ops
