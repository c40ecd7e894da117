// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/triangular_solve.hpp"

#include <algorithm>
#include <memory>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const char* name_of(MatrixForm form) {
  switch (form) {
    case MatrixForm::as_is: return "NO_TRANSPOSE";
    case MatrixForm::transposed: return "TRANSPOSE";
    case MatrixForm::adjoint: break;
  }
  return "ADJOINT";
}

Form form_of(MatrixForm form) {
  switch (form) {
    case MatrixForm::as_is: return Form::as_is;
    case MatrixForm::transposed: return Form::transposed;
    case MatrixForm::adjoint: break;
  }
  return Form::adjoint;
}

Array in_form(const Array& a, MatrixForm form) {
  switch (form) {
    case MatrixForm::as_is: return a;
    case MatrixForm::transposed: return transposed_matrices(a);
    case MatrixForm::adjoint: break;
  }
  return adjoint_matrices(a);
}

/// LAPACK sees all matrices transposed: the side and the triangle are the other ones.
template <class T>
void solve_lines(const TriangularSolve& op, const Matrices& a, const Matrices& b, const kernel::Unit& unit) {
  if (b.all_elements() == 0) return;
  const Lapack<T> lapack;
  auto* x = reinterpret_cast<T*>(unit.results[0]) + unit.lines.begin * b.elements();
  const auto* right = reinterpret_cast<const T*>(unit.operands[1]) + unit.lines.begin * b.elements();
  const auto* matrix = reinterpret_cast<const T*>(unit.operands[0]) + unit.lines.begin * a.elements();
  std::copy(right, right + unit.lines.count() * b.elements(), x);
  for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i, x += b.elements(), matrix += a.elements())
    lapack.trsm(op.is_left ? MatrixSide::right : MatrixSide::left,
                op.is_lower ? Triangle::upper : Triangle::lower, form_of(op.form),
                op.has_unit_diagonal ? Diagonal::ones : Diagonal::stored, static_cast<int>(b.columns),
                static_cast<int>(b.rows), matrix, x);
}

}  // namespace

Parameters TriangularSolve::parameters() const {
  const auto word = [](bool value) { return std::string(value ? "true" : "false"); };
  return {{"left_side", word(is_left)},
          {"lower", word(is_lower)},
          {"unit_diagonal", word(has_unit_diagonal)},
          {"transpose_a", name_of(form)}};
}

Types TriangularSolve::infer(const Types& operands) const {
  const Type &a = operands[0], &b = operands[1];
  require_for_lapack(a, "triangular_solve_c1");
  require(a.dtype() == b.dtype(), Code::dtype,
          "{} and {} have different dtypes (triangular_solve_c2); convert one of them", a, b);
  require_square(a, "triangular_solve_c3");
  const int rank = a.rank();
  const bool fits = b.rank() == rank &&
                    std::equal(a.shape().begin(), a.shape().end() - 2, b.shape().begin()) &&
                    b.shape()[is_left ? rank - 2 : rank - 1] == a.shape()[rank - 1];
  require(fits, Code::shape,
          "{} on the {} of the unknown and {}: the dims before the last two must be equal, and {} must have "
          "as many {} as the matrix (triangular_solve_c4)",
          a, is_left ? "left" : "right", b, b, is_left ? "rows" : "columns");
  for (const auto& [axis, state] : a.states())
    if (state == State::unreduced)
      fail(Code::state,
           "the matrix is {} ({}); an equation cannot be solved by its terms. Reduce first: psum(a, \"{}\")",
           in_words(a, axis), a, axis.name);
  return {b.with(agreed_states(operands, mixing()))};
}

Kernel TriangularSolve::kernel(const Layout& layout) const {
  const Type type = layout.operands()[0];
  const Matrices a = matrices_of(type), b = matrices_of(layout.operands()[1]);
  std::shared_ptr<const LapackUser> user;
  if (b.all_elements() > 0)
    user = std::make_shared<const LapackUser>(work_of(name, type), std::max(b.rows, b.columns));
  const auto n = static_cast<double>(a.rows), elements = static_cast<double>(b.elements());
  return kernel::Opaque{.nanoseconds = static_cast<double>(b.count) *
                                       lapack_nanoseconds(type.dtype(), elements * (n / 2 + 8)),
                        .run =
                            [user, op = *this, a, b, dtype = type.dtype()](const kernel::Unit& unit) {
                              with_lapack_element(dtype, [&]<class T>(std::type_identity<T>) {
                                solve_lines<T>(op, a, b, unit);
                              });
                            },
                        .shared = {b.count}};
}

// a x = b has x' = a^-1 (b' - a' x).
Jvp TriangularSolve::jvp(const Arrays& operands, const Tangents& tangents) const {
  const Array& a = operands[0];
  const Array x = apply_one(*this, operands);
  const auto solve = [&](const Array& right) { return apply_one(*this, {a, right}); };
  std::optional<Array> by_a, by_b;
  if (tangents[1]) by_b = solve(*tangents[1]);
  if (tangents[0]) {
    const int diagonal = !has_unit_diagonal ? 0 : is_lower ? -1 : 1;
    const Array read = triangle_of(*tangents[0], is_lower ? Triangle::lower : Triangle::upper, diagonal);
    const Array change = -in_form(read, form);
    by_a = solve(is_left ? matmul(change, x) : matmul(x, change));
  }
  return {{x}, {sum_of(by_a, by_b)}};
}

// The pairing of cotangents has no conjugate.
Tangents TriangularSolve::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require(operands[0].known && operands[1].linear(), Code::refused_rule,
          "transpose is refused: triangular_solve is not linear in its matrix");
  TriangularSolve op = *this;
  Array a = *operands[0].known;
  if (form == MatrixForm::adjoint && is_complex(a.dtype())) a = conj(a);
  op.form = form == MatrixForm::as_is ? MatrixForm::transposed : MatrixForm::as_is;
  return {{}, apply_one(op, {a, *cotangents[0]})};
}

BatchedArrays TriangularSolve::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_of_matrices(*this, axis, operands);
}

Lowered TriangularSolve::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.triangular_solve", operands, emitter.result_types()[0],
                       {{"left_side", {is_left}},
                        {"lower", {is_lower}},
                        {"unit_diagonal", {has_unit_diagonal}},
                        {"transpose_a", stablehlo::enumeration("transpose", name_of(form))}})};
}

// Diagonals far from zero.
std::vector<Example> TriangularSolve::examples() {
  const Axes& axes = example_mesh().axes();
  const auto matrix = [](Type type) { return ExampleOperand(type, 1, 2); };
  const Type a(DType::f64, {3, 3}), b(DType::f64, {3, 2}), row(DType::f64, {2, 3});
  std::vector<Example> examples{
      {TriangularSolve{}, {matrix(a), b}},
      {TriangularSolve{.is_lower = false}, {matrix(a.with(axes[0], varying)), b.with(axes[0], varying)}},
      {TriangularSolve{.is_left = false, .form = MatrixForm::transposed}, {matrix(a), row}},
      {TriangularSolve{.has_unit_diagonal = true},
       {matrix(a.with(axes[1], reduced)), b.with(axes[1], unreduced)}},
      {TriangularSolve{.is_left = false, .is_lower = false, .has_unit_diagonal = true},
       {matrix(a.with(axes[2], reduced)), row.with(axes[2], reduced)}},
      {TriangularSolve{.form = MatrixForm::adjoint},
       {matrix(Type(DType::f32, {2, 3, 3})), Type(DType::f32, {2, 3, 2})}},
      {TriangularSolve{}, {matrix(Type(DType::f32, {1, 1})), Type(DType::f32, {1, 1})}},
      {TriangularSolve{}, {matrix(Type(DType::f32, {2, 0, 0})), Type(DType::f32, {2, 0, 3})}},
      {TriangularSolve{}, {matrix(Type(DType::f32, {2, 2})), Type(DType::f32, {2, 0})}},
  };
  // The reciprocal of a complex diagonal has roundings; the adjoint law wants none.
  for (const MatrixForm form : {MatrixForm::as_is, MatrixForm::transposed, MatrixForm::adjoint})
    for (const DType dtype : {DType::complex64, DType::complex128})
      examples.push_back({TriangularSolve{.has_unit_diagonal = true, .form = form},
                          {matrix(Type(dtype, {3, 3})), Type(dtype, {3, 2})}});
  return examples;
}

Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options) {
  return front_end(TriangularSolve::name, a.where(), [&] {
    Array matrix = as_array(a, {b});
    const Array right = as_array(b, {a});
    TriangularSolve op{.is_left = options.left_side,
                       .is_lower = options.lower,
                       .has_unit_diagonal = options.unit_diagonal};
    if (options.transpose_a)
      op.form =
          options.conjugate_a && is_complex(matrix.dtype()) ? MatrixForm::adjoint : MatrixForm::transposed;
    else if (options.conjugate_a && is_complex(matrix.dtype())) matrix = conj(matrix);
    return apply_one(op, {matrix, right});
  });
}

}  // namespace tutti
