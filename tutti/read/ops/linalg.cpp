// SPDX-License-Identifier: Apache-2.0
// Linear algebra: StableHLO's operations, and the calls of LAPACK in programs that JAX exports for CPUs.
#include <optional>
#include <string>
#include <string_view>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/linalg/cholesky.hpp"
#include "tutti/ops/linalg/lu.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/read/operation_rows.hpp"

namespace tutti {
namespace {

Arrays cholesky_read(const OpReader& op) {
  const bool is_lower = op.attribute("lower") != nullptr && op.flag("lower");
  return {apply_one(Cholesky{is_lower}, op.operands())};
}

MatrixForm form_of(std::string_view word) {
  if (word == "TRANSPOSE") return MatrixForm::transposed;
  if (word == "ADJOINT") return MatrixForm::adjoint;
  require(word == "NO_TRANSPOSE", Code::text, "transpose_a is {}, none of NO_TRANSPOSE, TRANSPOSE, ADJOINT",
          word);
  return MatrixForm::as_is;
}

Arrays triangular_solve_read(const OpReader& op) {
  const TriangularSolve solve{.is_left = op.flag("left_side"),
                              .is_lower = op.flag("lower"),
                              .has_unit_diagonal = op.flag("unit_diagonal"),
                              .form = form_of(op.word("transpose_a"))};
  return {apply_one(solve, op.operands())};
}

// --- Calls of LAPACK: the letters are those of its arguments

/// One of the letters `known`.
char letter(const OpReader& op, std::string_view name, std::string_view known) {
  const auto* config = find_as<stablehlo::Dictionary>(op.op().attributes, "mhlo.backend_config");
  const auto* value = config ? find_as<stablehlo::Integer>(config->entries, name) : nullptr;
  require(value != nullptr, Code::text, "a call of LAPACK has no {} in its mhlo.backend_config", name);
  for (const char each : known)
    if (value->value == each) return each;
  fail(Code::text, "a call of LAPACK has the {} {} in its mhlo.backend_config; it is the code of one of {}",
       name, value->value, known);
}

/// info: [..], 0 where the matrix of that index was computed.
Array info_of(const OpReader& op, std::size_t result, const Array& has_failed) {
  return convert(has_failed, op.dtype(result));
}

Arrays potrf_read(const OpReader& op) {
  const bool is_lower = letter(op, "uplo", "LU") == 'L';
  const Array factor = apply_one(Cholesky{is_lower}, op.operands());
  const int rank = factor.rank();
  if (factor.shape()[rank - 1] == 0) return {factor, zeros_of(op.result_type(1))};
  const Array corner = index_in_dim(index_in_dim(factor, 0, rank - 1), 0, rank - 2);
  return {factor, info_of(op, 1, not_equal(corner, corner))};
}

Arrays trsm_read(const OpReader& op) {
  const char form = letter(op, "trans_x", "NTC");
  const TriangularSolve solve{.is_left = letter(op, "side", "LR") == 'L',
                              .is_lower = letter(op, "uplo", "LU") == 'L',
                              .has_unit_diagonal = letter(op, "diag", "NU") == 'U',
                              .form = form == 'N'   ? MatrixForm::as_is
                                      : form == 'T' ? MatrixForm::transposed
                                                    : MatrixForm::adjoint};
  return {apply_one(solve, {op.operand(0), op.operand(1)})};
}

/// LAPACK counts pivots from 1.
Arrays getrf_read(const OpReader& op) {
  const LuResult found = lu(op.operand(0));
  return {found.lu, found.pivots + 1, zeros_of(op.result_type(2))};
}

struct Routine {
  std::string_view name;
  Arrays (*read)(const OpReader& op);
};
constexpr Routine routines[] = {{"potrf", potrf_read}, {"trsm", trsm_read}, {"getrf", getrf_read}};

/// "lapack_spotrf_ffi": one letter for the dtype.
const Routine* routine_of(std::string_view target) {
  constexpr std::string_view before = "lapack_", after = "_ffi";
  if (!target.starts_with(before) || !target.ends_with(after)) return nullptr;
  target = target.substr(before.size() + 1, target.size() - before.size() - 1 - after.size());
  for (const Routine& routine : routines)
    if (routine.name == target) return &routine;
  return nullptr;
}

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.cholesky", one, cholesky_read},
    {"stablehlo.triangular_solve", two, triangular_solve_read},
};

}  // namespace

OperationRows linalg_rows() { return rows; }

bool is_read_lapack_call(std::string_view target) { return routine_of(target) != nullptr; }

Arrays lapack_call_read(const OpReader& op, std::string_view target) { return routine_of(target)->read(op); }

}  // namespace tutti
