// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/svd.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/linalg/matrices.hpp"
#include "tutti/ops/linalg/matrix_parts.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/tensor/linalg/factors.hpp"

namespace tutti {
namespace {

/// Sizes of one matrix and of its factors.
struct Sizes {
  std::int64_t m, n, values, of_u, of_vh;  // columns of u, rows of vh
};

Sizes sizes_of(const Matrices& matrices, Svd::Factors factors) {
  const std::int64_t m = matrices.rows, n = matrices.columns, k = std::min(m, n);
  if (factors == Svd::Factors::full) return {m, n, k, m, n};
  return {m, n, k, k, k};
}

Vectors vectors_of(Svd::Factors factors) {
  switch (factors) {
    case Svd::Factors::values: return Vectors::none;
    case Svd::Factors::reduced: return Vectors::reduced;
    case Svd::Factors::full: break;
  }
  return Vectors::complete;
}

template <class T>
void compute(const SvdOfMatrix<T>& svd, const Sizes& size, bool has_vectors, const kernel::Unit& unit) {
  auto* a = reinterpret_cast<const T*>(unit.operands[0]);
  auto* s = reinterpret_cast<Real<T>*>(unit.results[has_vectors ? 1 : 0]);
  auto* u = has_vectors ? reinterpret_cast<T*>(unit.results[0]) : nullptr;
  auto* vh = has_vectors ? reinterpret_cast<T*>(unit.results[2]) : nullptr;
  for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i)
    svd(has_vectors ? u + i * size.m * size.of_u : nullptr, s + i * size.values,
        has_vectors ? vh + i * size.of_vh * size.n : nullptr, a + i * size.m * size.n, unit.scratch);
}

template <class T>
kernel::Opaque kernel_of(Type x, Svd::Factors factors, std::shared_ptr<const LapackUser> user) {
  const Matrices matrices = matrices_of(x);
  const Sizes size = sizes_of(matrices, factors);
  const bool has_vectors = factors != Svd::Factors::values;
  const SvdOfMatrix<T> svd(static_cast<int>(size.m), static_cast<int>(size.n), vectors_of(factors));
  const double work = static_cast<double>(size.m) * static_cast<double>(size.n * size.values);
  return {.nanoseconds = (1000 + (has_vectors ? 2 : 0.5) * work) * static_cast<double>(matrices.count),
          .scratch_bytes = svd.scratch_bytes(),
          .run = [svd, size, has_vectors, user = std::move(user)](
                     const kernel::Unit& unit) { compute(svd, size, has_vectors, unit); },
          .shared = {matrices.count}};
}

/// A matrix without elements has no singular values, and unit vectors for its vectors.
template <class T>
kernel::Opaque kernel_of_empty(Sizes size, bool has_vectors, std::int64_t count) {
  return {.nanoseconds = 20, .run = [=](const kernel::Unit& unit) {
            if (!has_vectors) return;
            fill_with_identities(reinterpret_cast<T*>(unit.results[0]), size.m, size.of_u, count);
            fill_with_identities(reinterpret_cast<T*>(unit.results[2]), size.of_vh, size.n, count);
          }};
}

}  // namespace

Parameters Svd::parameters() const {
  switch (factors) {
    case Factors::values: return {{"factors", "values"}};
    case Factors::reduced: return {{"factors", "reduced"}};
    case Factors::full: break;
  }
  return {{"factors", "full"}};
}

Types Svd::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_matrices(x, "svd_c1");
  require_for_lapack(x, "svd_c2");
  const Sizes size = sizes_of(matrices_of(x), factors);
  const Type vectors = x.with(agreed_states(operands, mixing()));
  const Type values = vectors.with(with_last_dims(x.shape(), {size.values})).with(real_dtype_of(x.dtype()));
  if (factors == Factors::values) return {values};
  return {vectors.with(with_last_dims(x.shape(), {size.m, size.of_u})), values,
          vectors.with(with_last_dims(x.shape(), {size.of_vh, size.n}))};
}

Kernel Svd::kernel(const Layout& layout) const {
  const Type x = layout.operands()[0];
  const Matrices matrices = matrices_of(x);
  kernel::Opaque made;
  with_lapack_element(x.dtype(), [&]<class T>(std::type_identity<T>) {
    if (x.elements() == 0)
      made = kernel_of_empty<T>(sizes_of(matrices, factors), factors != Factors::values, matrices.count);
    else
      made = kernel_of<T>(x, factors,
                          std::make_shared<const LapackUser>(work_of("svd", x),
                                                             std::max(matrices.rows, matrices.columns)));
  });
  return made;
}

namespace {

/// Tangents of the vectors of a = u diag(s) vh, by e = u^H da v: as those of the eigenvectors of a^H a and of
/// a a^H. Unless a is square, one of them also moves out of the space that it spans.
class Turning {
 public:
  Turning(const Array& u, const Array& s, const Array& vh, const Array& da)
      : u_(u), vh_(vh), da_(da), e_(matmul(matmul(adjoint_matrices(u), da), adjoint_matrices(vh))) {
    const std::int64_t k = s.dim(-1);
    const Array rows = as_rows(s, k), columns = as_columns(s, k);
    by_column_ = convert(rows, e_.dtype());
    by_row_ = convert(columns, e_.dtype());
    gaps_ = convert(inverse_off_diagonal((rows + columns) * (rows - columns)), e_.dtype());
    s_ = s;
  }
  Array of_values() const { return diagonal_of(as_real(e_)); }

  Array of_u() const {
    const Array scaled = by_column_ * e_;
    Array turn = gaps_ * (scaled + adjoint_matrices(scaled));
    if (is_complex(e_.dtype())) turn = turn + phases();
    Array inside = matmul(u_, turn);
    if (u_.dim(-2) <= u_.dim(-1)) return inside;
    return inside + outside(u_, matmul(da_, adjoint_matrices(vh_)));
  }
  Array of_vh() const {
    const Array v = adjoint_matrices(vh_), scaled = by_row_ * e_;
    const Array inside = matmul(v, gaps_ * (scaled + adjoint_matrices(scaled)));
    if (v.dim(-2) <= v.dim(-1)) return adjoint_matrices(inside);
    return adjoint_matrices(inside + outside(v, matmul(adjoint_matrices(da_), u_)));
  }

 private:
  /// The phases of u, relative to those of v, which keep theirs.
  Array phases() const {
    const Array size = select(equal(s_, 0), 0, 1 / select(equal(s_, 0), 1, s_));
    const Array skew = (e_ - adjoint_matrices(e_)) / 2;
    return convert(as_rows(size, s_.dim(-1)), e_.dtype()) * diagonal_part(skew);
  }
  Array outside(const Array& basis, const Array& moved) const {
    const Array rest = moved - matmul(basis, matmul(adjoint_matrices(basis), moved));
    return rest / convert(as_rows(s_, basis.dim(-2)), rest.dtype());
  }

  Array u_, vh_, da_, e_, by_column_, by_row_, gaps_, s_;
};

}  // namespace

// LAPACK computes values without vectors by another algorithm. The results keep the bits of the op.
Jvp Svd::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[0]) return constant_jvp(*this, operands);
  const Arrays all = tutti::apply(Svd{Factors::reduced}, operands);
  const Turning turning(all[0], all[1], all[2], *tangents[0]);
  if (factors == Factors::values) return {tutti::apply(*this, operands), {turning.of_values()}};
  return {all, {turning.of_u(), turning.of_values(), turning.of_vh()}};
}

std::string_view Svd::refusal(Rule rule) const {
  if (rule != Rule::jvp || factors != Factors::full) return {};
  return "vectors beyond the singular values have no derivative of their own; use svd(x, {.full_matrices = "
         "false})";
}

BatchedArrays Svd::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_of_matrices(*this, axis, operands);
}

std::vector<Example> Svd::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples;
  for (const Factors factors : {Factors::values, Factors::reduced, Factors::full}) {
    const Svd svd{factors};
    examples.push_back({svd, {Type(DType::f64, {3, 2}).with(axes[0], varying)}});
    examples.push_back({svd, {Type(DType::f64, {2, 2, 3})}});
    examples.push_back({svd, {Type(DType::f32, {3, 3}).with(axes[1], reduced)}});
    examples.push_back({svd, {Type(DType::complex128, {2, 3})}});
    examples.push_back({svd, {Type(DType::complex64, {3, 2})}});
    examples.push_back({svd, {Type(DType::f32, {1, 1})}});
    examples.push_back({svd, {Type(DType::f32, {0, 2})}});
    examples.push_back({svd, {Type(DType::f64, {2, 3, 0})}});
    examples.push_back({svd, {Type(DType::f64, {0, 2, 2})}});
  }
  return examples;
}

SvdResult svd(const Operand& x, const SvdOptions& options) {
  return front_end(Svd::name, x.where(), [&] {
    const Array array = as_array(x);
    const bool is_square = array.rank() >= 2 && array.dim(-1) == array.dim(-2);
    const auto factors = options.full_matrices && !is_square ? Svd::Factors::full : Svd::Factors::reduced;
    const Arrays results = tutti::apply(Svd{factors}, {array});
    return SvdResult{results[0], results[1], results[2]};
  });
}

Array svdvals(const Operand& x) {
  return front_end("svdvals", x.where(), [&] { return apply_one(Svd{Svd::Factors::values}, {as_array(x)}); });
}

}  // namespace tutti
