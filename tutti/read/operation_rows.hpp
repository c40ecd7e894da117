// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tutti/read/reading.hpp"

namespace tutti {

/// Why an operation is not run, and what a user can do.
struct Refusal {
  std::string what;  // of the operation: "a reducer by xor"; empty: the operation itself
  std::string instead;
};

/// How many arguments a region has, by the number of operands of its operation.
using RegionArguments = int (*)(int operands);
constexpr int no_arguments(int) { return 0; }
constexpr int pair(int) { return 2; }
constexpr int as_operands(int n) { return n; }
constexpr int twice_operands(int n) { return 2 * n; }
constexpr int all_but_one(int n) { return n - 1; }

/// How many operands, regions and results an operation has; -1: as many as it likes.
struct OperationForm {
  int least_operands = 0, most_operands = -1;
  int regions = 0;
  RegionArguments region_arguments = nullptr;  // null: not looked at
  int least_results = 1;
};

/// How one operation of StableHLO is read.
struct OperationRow {
  std::string_view name;  // "stablehlo.add"
  OperationForm form;
  /// Its results, made with the functions of this library. Null: it is not run here.
  Arrays (*read)(const OpReader& op);
  /// Why this one is not run; none: it is.
  std::optional<Refusal> (*refusal)(const SourceModule& source, const stablehlo::Operation& op) = nullptr;
  /// True if it holds or calls other operations: their errors keep their own places.
  bool has_inner_places = false;
};

namespace forms {
inline constexpr OperationForm none{0, 0}, one{1, 1}, two{2, 2}, three{3, 3}, some{1},
    any{0, -1, 0, nullptr, 0};
inline constexpr OperationForm unknown{0, -1, -1, nullptr, 0};
}  // namespace forms

using OperationRows = std::span<const OperationRow>;
OperationRows elementwise_rows();
OperationRows shape_rows();
OperationRows fold_rows();
OperationRows indexing_rows();
OperationRows collective_rows();
OperationRows control_rows();
OperationRows linalg_rows();
/// Legal operations that are not run here.
OperationRows refused_rows();
/// stablehlo.custom_call @ragged_all_to_all.
Arrays ragged_all_to_all_read(const OpReader& op);

/// stablehlo.custom_call @lapack_spotrf_ffi and the like: whether it is run, and its results.
bool is_read_lapack_call(std::string_view target);
Arrays lapack_call_read(const OpReader& op, std::string_view target);

/// Null: an operation of another dialect.
const OperationRow* row_of(std::string_view name);

}  // namespace tutti
