// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/linalg/lower_matrices.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

/// Factors one matrix, row-major. LAPACK sees the transpose, and so the other triangle.
template <class T>
void factor(const Lapack<T>& lapack, bool is_lower, std::int64_t n, T* to, const T* from) {
  for (std::int64_t i = 0; i < n; ++i, to += n, from += n) {
    const std::int64_t begin = is_lower ? 0 : i, end = is_lower ? i + 1 : n;
    std::fill(to, to + begin, T{});
    std::copy(from + begin, from + end, to + begin);
    std::fill(to + end, to + n, T{});
  }
  to -= n * n;
  const Triangle triangle = is_lower ? Triangle::upper : Triangle::lower;
  bool is_positive = lapack.potrf(triangle, static_cast<int>(n), to) == 0;
  // OpenBLAS goes on after a NaN, and may leave numbers behind it.
  for (std::int64_t i = 0; i < n; ++i) is_positive = is_positive && !std::isnan(std::real(to[i * n + i]));
  if (is_positive) return;
  const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
  for (std::int64_t i = 0; i < n; ++i, to += n) {
    if constexpr (is_complex_element<T>)
      std::fill(to + (is_lower ? 0 : i), to + (is_lower ? i + 1 : n), T(nan, nan));
    else std::fill(to + (is_lower ? 0 : i), to + (is_lower ? i + 1 : n), nan);
  }
}

template <class T>
void factor_lines(bool is_lower, const Matrices& matrices, const kernel::Unit& unit) {
  if (matrices.all_elements() == 0) return;
  const Lapack<T> lapack;
  const std::int64_t step = matrices.elements();
  for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i)
    factor(lapack, is_lower, matrices.rows, reinterpret_cast<T*>(unit.results[0]) + i * step,
           reinterpret_cast<const T*>(unit.operands[0]) + i * step);
}

}  // namespace

Parameters Cholesky::parameters() const { return {{"lower", is_lower ? "true" : "false"}}; }

Types Cholesky::infer(const Types& operands) const {
  const Type& a = operands[0];
  require_for_lapack(a, "cholesky_c1");
  require_square(a, "cholesky_c2");
  return {a.with(agreed_states(operands, mixing()))};
}

Kernel Cholesky::kernel(const Layout& layout) const {
  const Type a = layout.operands()[0];
  const Matrices matrices = matrices_of(a);
  std::shared_ptr<const LapackUser> user;
  if (matrices.all_elements() > 0) user = std::make_shared<const LapackUser>(work_of(name, a), matrices.rows);
  const auto n = static_cast<double>(matrices.rows), count = static_cast<double>(matrices.count);
  return kernel::Opaque{.nanoseconds = count * lapack_nanoseconds(a.dtype(), n * n * n / 6 + 4 * n * n),
                        .run =
                            [user, matrices, dtype = a.dtype(), lower = is_lower](const kernel::Unit& unit) {
                              with_lapack_element(dtype, [&]<class T>(std::type_identity<T>) {
                                factor_lines<T>(lower, matrices, unit);
                              });
                            },
                        .shared = {matrices.count}};
}

// a = l l^H has l' = l half(l^-1 a' l^-H), where half takes the lower triangle with half of the diagonal
// (Murray 2016, arXiv 1602.07527). a' is the Hermitian matrix with the triangle that the op reads.
Jvp Cholesky::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[0]) return constant_jvp(*this, operands);
  const Array factor = apply_one(*this, operands);
  const Array l = is_lower ? factor : adjoint_matrices(factor);
  const Array half = halved_lower(is_lower ? *tangents[0] : adjoint_matrices(*tangents[0]));
  const Array whole = half + adjoint_matrices(half);
  const Array right = apply_one(TriangularSolve{.is_left = false, .form = MatrixForm::adjoint}, {l, whole});
  const Array both = apply_one(TriangularSolve{}, {l, right});
  const Array tangent = matmul(l, halved_lower(both));
  return {{factor}, {is_lower ? tangent : adjoint_matrices(tangent)}};
}

BatchedArrays Cholesky::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_of_matrices(*this, axis, operands);
}

// StableHLO leaves the other triangle open.
Lowered Cholesky::lower(Emitter& emitter, const Lowered& operands) const {
  const Type a = emitter.result_types()[0];
  const stablehlo::Value factor = emitter.emit("stablehlo.cholesky", operands, a, {{"lower", {is_lower}}});
  const MatrixEmitter emit(emitter, a.shape());
  const stablehlo::Value kept = emit.compare(is_lower ? "GE" : "LE", emit.rows(), emit.columns());
  return {emit.select(kept, factor, emit.zeros(a), a)};
}

namespace {

/// Positive definite matrices, the same on all devices. Of the dtypes with the most digits only: laws that
/// need these digits change the dtype of others, and not the values.
ExampleOperand positive_definite(DType dtype, const Shape& shape) {
  const std::int64_t n = shape[shape.rank() - 1];
  Tensor values(shape, dtype);
  with_lapack_element(dtype, [&]<class T>(std::type_identity<T>) {
    auto* element = reinterpret_cast<T*>(values.mutable_bytes());
    for (std::int64_t e = 0; e < values.elements(); ++e) {
      const bool is_diagonal = e / n % n == e % n;
      const std::int64_t quarters = is_diagonal ? 24 + e % 3 : e * 5 % 7 - 3;
      element[e] = T(static_cast<Real<T>>(0.25 * static_cast<double>(quarters)));
      if constexpr (is_complex_element<T>)
        if (!is_diagonal) element[e] += T(0, static_cast<Real<T>>(e % 3 - 1));
    }
  });
  return ExampleOperand(ExampleOperand::Given{{}, {values}});
}

}  // namespace

std::vector<Example> Cholesky::examples() {
  const Axes& axes = example_mesh().axes();
  const auto in_state = [](ExampleOperand operand, const Axis& axis, State state) {
    operand.type = operand.type.with(axis, state);
    return operand;
  };
  const auto above_zero = [](Type type) { return ExampleOperand(type, 1, 4); };
  return {
      {Cholesky{}, {positive_definite(DType::f64, {4, 4})}},
      {Cholesky{false}, {in_state(positive_definite(DType::f64, {3, 3}), axes[0], varying)}},
      {Cholesky{}, {in_state(positive_definite(DType::f64, {3, 3}), axes[1], reduced)}},
      {Cholesky{}, {positive_definite(DType::f64, {2, 3, 3})}},
      {Cholesky{}, {above_zero(Type(DType::f64, {3, 1, 1}).with(axes[0], varying))}},
      {Cholesky{false}, {above_zero(Type(DType::f32, {3, 1, 1}))}},
      {Cholesky{}, {Type(DType::f32, {2, 0, 0})}},
      {Cholesky{false}, {Type(DType::f32, {0, 2, 2})}},
      {Cholesky{}, {above_zero(Type(DType::complex64, {2, 1, 1}))}},
      {Cholesky{}, {positive_definite(DType::complex128, {2, 3, 3})}},
      {Cholesky{false}, {positive_definite(DType::complex128, {3, 3})}},
  };
}

}  // namespace tutti
