// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/eigh.hpp"

#include <memory>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/linalg/eigh_lower.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/tensor/linalg/factors.hpp"
#include "tutti/tensor/linalg/lapack.hpp"

namespace tutti {
namespace {

template <class T>
kernel::Opaque kernel_of(Type x, std::shared_ptr<const LapackUser> user) {
  const Matrices matrices = matrices_of(x);
  const std::int64_t n = matrices.rows;
  const EighOfMatrix<T> eigh(static_cast<int>(n));
  const auto size = static_cast<double>(n);
  return {.nanoseconds = (1000 + size * size * size) * static_cast<double>(matrices.count),
          .scratch_bytes = eigh.scratch_bytes(),
          .run =
              [eigh, n, user = std::move(user)](const kernel::Unit& unit) {
                auto* w = reinterpret_cast<Real<T>*>(unit.results[0]);
                auto* v = reinterpret_cast<T*>(unit.results[1]);
                auto* a = reinterpret_cast<const T*>(unit.operands[0]);
                for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i)
                  eigh(w + i * n, v + i * n * n, a + i * n * n, unit.scratch);
              },
          .shared = {matrices.count}};
}

}  // namespace

Types Eigh::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_matrices(x, "eigh_c1");
  require_for_lapack(x, "eigh_c2");
  const std::int64_t n = x.shape()[x.rank() - 1];
  require_square(x, "eigh_c3");
  const Type v = x.with(agreed_states(operands, mixing()));
  return {v.with(with_last_dims(x.shape(), {n})).with(real_dtype_of(x.dtype())), v};
}

Kernel Eigh::kernel(const Layout& layout) const {
  const Type x = layout.operands()[0];
  if (x.elements() == 0) return kernel::Opaque{.nanoseconds = 20, .run = [](const kernel::Unit&) {}};
  auto user = std::make_shared<const LapackUser>(work_of("eigh", x), x.shape()[x.rank() - 1]);
  kernel::Opaque made;
  with_lapack_element(x.dtype(), [&]<class T>(std::type_identity<T>) { made = kernel_of<T>(x, user); });
  return made;
}

// First-order perturbation theory: with e = v^H da v, dw is the diagonal of e, and dv = v (e / (w_j - w_i)),
// where i is not j.
Jvp Eigh::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[0]) return constant_jvp(*this, operands);
  const Arrays results = tutti::apply(*this, operands);
  const Array &w = results[0], &v = results[1];
  const std::int64_t n = w.dim(-1);
  const Array e = matmul(matmul(adjoint_matrices(v), hermitian_of_lower(*tangents[0])), v);
  const Array gaps = inverse_off_diagonal(as_rows(w, n) - as_columns(w, n));
  const Array dw = diagonal_of(as_real(e));
  return {results, {dw, matmul(v, convert(gaps, e.dtype()) * e)}};
}

BatchedArrays Eigh::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_of_matrices(*this, axis, operands);
}

Lowered Eigh::lower(Emitter& emitter, const Lowered& operands) const {
  return lower_eigh(emitter, operands[0]);
}

std::vector<Example> Eigh::examples() {
  const Axes& axes = example_mesh().axes();
  const Type matrix(DType::f64, {3, 3});
  return {
      {Eigh{}, {matrix}},
      {Eigh{}, {Type(DType::f64, {2, 2, 2}).with(axes[0], varying)}},
      {Eigh{}, {Type(DType::f32, {4, 4}).with(axes[1], reduced)}},
      {Eigh{}, {Type(DType::complex128, {3, 3})}},
      {Eigh{}, {Type(DType::complex64, {2, 2, 2})}},
      {Eigh{}, {Type(DType::f32, {1, 1})}},
      {Eigh{}, {Type(DType::f32, {0, 0})}},
      {Eigh{}, {Type(DType::f64, {0, 2, 2})}},
  };
}

EighResult eigh(const Operand& a, const EighOptions& options) {
  return front_end(Eigh::name, a.where(), [&] {
    Array x = as_array(a);
    Eigh{}.infer({x.type()});
    if (options.symmetrize) x = (x + adjoint_matrices(x)) / 2;
    const Arrays results = tutti::apply(Eigh{}, {x});
    return EighResult{results[0], results[1]};
  });
}

Array eigvalsh(const Operand& a, const EighOptions& options) {
  return front_end("eigvalsh", a.where(), [&] { return eigh(a, options).eigenvalues; });
}

}  // namespace tutti
