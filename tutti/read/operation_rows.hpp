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

/// How one operation of StableHLO is read.
struct OperationRow {
  std::string_view name;  // "stablehlo.add"
  /// Its results, made with the functions of this library. Null: it is not run here.
  Arrays (*read)(const OpReader& op);
  /// Why this one is not run; none: it is.
  std::optional<Refusal> (*refusal)(const SourceModule& source, const stablehlo::Operation& op) = nullptr;
  /// Its regions, and the functions that it calls, give their operations places of their own.
  bool has_inner_places = false;
};

using OperationRows = std::span<const OperationRow>;
OperationRows elementwise_rows();
OperationRows shape_rows();
OperationRows fold_rows();
OperationRows indexing_rows();
OperationRows collective_rows();
OperationRows control_rows();
/// Legal operations that are not run here.
OperationRows refused_rows();

/// Null: an operation of another dialect.
const OperationRow* row_of(std::string_view name);

}  // namespace tutti
