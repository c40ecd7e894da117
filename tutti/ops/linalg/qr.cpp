// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/qr.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/linalg/qr_lower.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/tensor/linalg/factors.hpp"

namespace tutti {
namespace {

/// The columns of q, which are the rows of r.
std::int64_t columns_of_q(const Matrices& a, Qr::Factors factors) {
  return factors == Qr::Factors::full ? a.rows : std::min(a.rows, a.columns);
}

template <class T>
kernel::Opaque kernel_of(Type x, std::int64_t c, std::shared_ptr<const LapackUser> user) {
  const Matrices a = matrices_of(x);
  const std::int64_t m = a.rows, n = a.columns;
  const QrOfMatrix<T> qr(static_cast<int>(m), static_cast<int>(n),
                         c == std::min(m, n) ? Vectors::reduced : Vectors::complete);
  const double work = static_cast<double>(m) * static_cast<double>(n * c);
  return {.nanoseconds = (1000 + 0.4 * work) * static_cast<double>(a.count),
          .scratch_bytes = qr.scratch_bytes(),
          .run =
              [qr, m, n, c, user = std::move(user)](const kernel::Unit& unit) {
                auto* q = reinterpret_cast<T*>(unit.results[0]);
                auto* r = reinterpret_cast<T*>(unit.results[1]);
                auto* from = reinterpret_cast<const T*>(unit.operands[0]);
                for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i)
                  qr(q + i * m * c, r + i * c * n, from + i * m * n, unit.scratch);
              },
          .shared = {a.count}};
}

/// Tangents of q and of r, for r with as many rows as columns. With t = q^H da r^-1, q turns by the
/// skew-Hermitian matrix that has the elements of t below its diagonal, and the imaginary parts on it.
std::pair<Array, Array> tangents_of(const Array& q, const Array& r, const Array& da) {
  const Array da_per_r = triangular_solve(r, da, {.left_side = false, .lower = false});
  const Array t = matmul(adjoint_matrices(q), da_per_r), below = triangle_of(t, Triangle::lower, -1);
  Array turn = below - adjoint_matrices(below);
  if (is_complex(t.dtype())) turn = turn + diagonal_part(t - real_part(t));
  const Array dq = matmul(q, turn - t) + da_per_r;
  const Array upper = triangle_of(t - turn, Triangle::upper, 0);
  return {dq, triangle_of(matmul(upper, r), Triangle::upper, 0)};
}

}  // namespace

Parameters Qr::parameters() const {
  switch (factors) {
    case Factors::reduced: return {{"factors", "reduced"}};
    case Factors::full: break;
  }
  return {{"factors", "full"}};
}

Types Qr::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_matrices(x, "qr_c1");
  require_for_lapack(x, "qr_c2");
  const Matrices a = matrices_of(x);
  const std::int64_t c = columns_of_q(a, factors);
  const Type result = x.with(agreed_states(operands, mixing()));
  return {result.with(with_last_dims(x.shape(), {a.rows, c})),
          result.with(with_last_dims(x.shape(), {c, a.columns}))};
}

// Without elements, q has unit vectors, and r no elements.
Kernel Qr::kernel(const Layout& layout) const {
  const Type x = layout.operands()[0];
  const Matrices a = matrices_of(x);
  const std::int64_t c = columns_of_q(a, factors);
  kernel::Opaque made;
  with_lapack_element(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if (x.elements() == 0)
      made = kernel::Opaque{.nanoseconds = 20, .run = [a, c](const kernel::Unit& unit) {
                              fill_with_identities(reinterpret_cast<T*>(unit.results[0]), a.rows, c, a.count);
                            }};
    else
      made = kernel_of<T>(x, c,
                          std::make_shared<const LapackUser>(work_of("qr", x), std::max(a.rows, a.columns)));
  });
  return made;
}

// The first m columns of a wide matrix are a square one. The rest of r, q^H a, is a product.
Jvp Qr::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[0]) return constant_jvp(*this, operands);
  const Arrays results = tutti::apply(*this, operands);
  const Array &a = operands[0], &da = *tangents[0], &q = results[0], &r = results[1];
  const std::int64_t m = a.dim(-2);
  if (m >= a.dim(-1)) {
    const auto [dq, dr] = tangents_of(q, r, da);
    return {results, {dq, dr}};
  }
  auto first = [&](const Array& x) { return slice_in_dim(x, 0, m, 1, -1); };
  auto rest = [&](const Array& x) { return slice_in_dim(x, m, {}, 1, -1); };
  const auto [dq, dr] = tangents_of(q, first(r), first(da));
  const Array dr_of_rest = matmul(adjoint_matrices(dq), rest(a)) + matmul(adjoint_matrices(q), rest(da));
  return {results, {dq, concatenate({dr, dr_of_rest}, -1)}};
}

std::string_view Qr::refusal(Rule rule) const {
  if (rule != Rule::jvp || factors != Factors::full) return {};
  return "columns beyond those of the matrix have no derivative of their own; use qr(a, {.full_matrices = "
         "false})";
}

BatchedArrays Qr::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_of_matrices(*this, axis, operands);
}

Lowered Qr::lower(Emitter& emitter, const Lowered& operands) const { return lower_qr(emitter, operands[0]); }

std::vector<Example> Qr::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples;
  for (const Factors factors : {Factors::reduced, Factors::full}) {
    const Qr qr{factors};
    examples.push_back({qr, {Type(DType::f64, {4, 2}).with(axes[0], varying)}});
    examples.push_back({qr, {Type(DType::f64, {2, 2, 3})}});
    examples.push_back({qr, {Type(DType::f32, {3, 3}).with(axes[1], reduced)}});
    examples.push_back({qr, {Type(DType::complex128, {3, 2})}});
    examples.push_back({qr, {Type(DType::complex64, {2, 3})}});
    examples.push_back({qr, {Type(DType::f32, {1, 1})}});
    examples.push_back({qr, {Type(DType::f32, {0, 2})}});
    examples.push_back({qr, {Type(DType::f64, {2, 3, 0})}});
    examples.push_back({qr, {Type(DType::f64, {0, 2, 2})}});
  }
  return examples;
}

QrResult qr(const Operand& a, const QrOptions& options) {
  return front_end(Qr::name, a.where(), [&] {
    const Array x = as_array(a);
    const bool is_tall = x.rank() >= 2 && x.dim(-2) > x.dim(-1);
    const auto factors = options.full_matrices && is_tall ? Qr::Factors::full : Qr::Factors::reduced;
    const Arrays results = tutti::apply(Qr{factors}, {x});
    return QrResult{results[0], results[1]};
  });
}

}  // namespace tutti
