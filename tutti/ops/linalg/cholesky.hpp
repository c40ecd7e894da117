// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The triangular factor of symmetric or Hermitian positive definite matrices: l of a = l l^H (lower), or u
/// of a = u^H u. Reads that triangle of a only, and the real parts of its diagonal. The other triangle of the
/// result is zero.
/// A matrix that is not positive definite gives NaN in the whole triangle.
/// a: [.., n, n] of f32, f64, complex64 or complex128 -> the same; U is refused.
/// Cost: n^3 / 3 operations by LAPACK's potrf for each matrix.
/// Source: StableHLO cholesky; jax.lax.linalg.cholesky.
struct Cholesky {
  static constexpr std::string_view name = "cholesky";
  static constexpr About about{"The triangular factor of positive definite matrices.", "cholesky"};

  bool is_lower = true;

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"the factor of a sum is not the sum of factors, so it is not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Cholesky&) const = default;
};
static_assert(complete<Cholesky>());

}  // namespace tutti::ops
