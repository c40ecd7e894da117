// SPDX-License-Identifier: Apache-2.0
// Diagonals of matrices, and what lies on either side of them. Diagonal k stands k columns to the right of
// the main one.
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/ir/array.hpp"

namespace tutti {

/// Options of eye and tri. Diagonal 0 is the main one, k > 0 lies above it.
struct EyeOptions {
  std::optional<std::int64_t> columns = {};  // none: as many as rows
  int k = 0;
};
/// numpy.eye: [rows, columns], one on diagonal k, else zero. Outside of a trace the result is finished data.
/// Throws T005 for a negative size.
Array eye(std::int64_t rows, DType dtype, const EyeOptions& options = {}, Where where = Where::here());
/// numpy.tri: [rows, columns], one on and below diagonal k, else zero. Throws T005 for a negative size.
Array tri(std::int64_t rows, DType dtype, const EyeOptions& options = {}, Where where = Where::here());

/// numpy.tril: x with zeros above diagonal k of its last two dims. Throws T005 for fewer dims.
Array tril(const Operand& x, int k = 0);
/// numpy.triu: x with zeros below diagonal k of its last two dims. Throws T005 for fewer dims.
Array triu(const Operand& x, int k = 0);

/// numpy.diag. [n] -> [n + |k|, n + |k|] with x on diagonal k and zeros elsewhere; [m, n] -> diagonal k.
/// Cost: one copy, or none. Throws T005 for other ranks.
Array diag(const Operand& x, int k = 0);

/// Options of diagonal and trace.
struct DiagonalOptions {
  int k = 0;
  int dim1 = 0, dim2 = 1;  // rows and columns; negative ones count from the end
};
/// numpy.diagonal: diagonal k of every matrix along two dims; it is the last dim of the result. Empty outside
/// the matrix.
/// Throws T005 for fewer than two dims, T006 for a dim out of range or named twice.
Array diagonal(const Operand& x, const DiagonalOptions& options = {});
/// numpy.trace: the sum of diagonal k, in the dtype of x; of bool i32. Throws T005, T006.
Array trace(const Operand& x, const DiagonalOptions& options = {});

}  // namespace tutti
